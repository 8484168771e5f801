#!/usr/bin/env bats
# bep-tail with stand-ins for Bazel, which do on demand what a real one does rarely. sources-bazel.bats has
# the real one.
load lib
load source/streams.bash

setup() { streams; }

# tail_in_background OPTION...: bep-tail e.bep with its output in `out` and `err`; $tail is its pid.
tail_in_background() {
	bep-tail "$@" e.bep >out 2>err 3>&- &
	tail=$!
}

# ended STATUS: bep-tail ends by itself with STATUS.
ended() {
	wait_for 10 gone "$tail" || fail "bep-tail does not end: $(cat err)"
	run wait "$tail"
	assert_equal "$status" "$1"
}

# ---- a file that is there

@test "a complete file is passed on byte for byte" {
	run --separate-stderr bep-tail one
	assert_success
	assert_equal "$stderr" ""
	bep-tail one | cmp - one
	bep-tail --no-follow one | cmp - one
	assert [ "$(bep-tail -v one 2>&1 >/dev/null)" = "bep-tail: one: complete: 3 events, 49 bytes" ]
}

@test "real streams of five Bazels, byte for byte" {
	need_shared
	local file
	for file in "$SHARED"/corpus/*/*/events.bep; do
		bep-tail -q -n "$file" >out || [ $? = 65 ]
		cmp -n "$(stat -c %s out)" out "$file" || fail "$file"
	done
}

@test "A06 cut at every byte: whole frames pass, 65 names the offset of the rest" {
	local cut whole
	for cut in $(seq 0 48); do
		whole=$((cut / 13 * 13))
		[ $whole -le 26 ] || whole=26
		head -c "$cut" one >e.bep
		run --separate-stderr bep-tail --no-follow e.bep
		assert_failure 65
		bep-tail -q --no-follow e.bep 2>/dev/null | cmp - <(head -c "$whole" one)
		assert_regex "$stderr" "^bep-tail: e.bep: incomplete: ends (at|inside the frame at) byte $whole,"
	done
}

@test "a length that is no varint, and one above --max-frame" {
	hex $A ffffffffffffffffffff01 >e.bep
	run --separate-stderr bep-tail e.bep
	assert_failure 65
	assert_equal "$stderr" "bep-tail: e.bep: malformed: no frame begins at byte 13"
	run bep-tail --max-frame=22 one
	assert_success
	run --separate-stderr bep-tail --max-frame=21 one
	assert_failure 65
	assert_equal "$stderr" "bep-tail: one: the frame at byte 26 announces 22 bytes, more than --max-frame allows (21)"
	bep-tail -q --max-frame=21 one 2>/dev/null | cmp - <(head -c 26 one)
	hex 80808080808080808001 >e.bep # 2^63 announced: refused, not allocated
	run bep-tail e.bep
	assert_failure 65
}

@test "A15 one event of 97 MB, and the frame after it" {
	{ hex "$(varint 96944768)"; head -c 96944768 /dev/zero; cat one; } >e.bep
	bep-tail e.bep | cmp - e.bep
}

@test "A16 Bazel's JSON form is named" {
	printf '{"id":{"started":{}},"children":[]}\n' >e.bep
	run --separate-stderr bep-tail -n e.bep
	assert_failure 65
	assert_regex "$stderr" "it begins like JSON"
}

@test "an empty frame is passed on and decides nothing" {
	{ hex 00; cat one; hex 0000; } >e.bep
	bep-tail e.bep | cmp - e.bep
}

# ---- what is no BEP file

@test "a directory, a FIFO, a device, a missing folder, no permission: one line, 66" {
	mkdir folder && mkfifo fifo && touch secret && chmod 0 secret
	local cases="folder:a.directory fifo:bep-fifo.reads /dev/null:no.regular.file one/x:Not.a.directory"
	[ "$(id -u)" = 0 ] || cases+=" secret:Permission"
	local each
	for each in $cases; do
		run --separate-stderr bep-tail "${each%%:*}"
		assert_failure 66
		assert_regex "$stderr" "^bep-tail: ${each%%:*}: .*${each#*:}"
		assert_equal "${#stderr_lines[@]}" 1
	done
	run --separate-stderr bep-tail -n missing
	assert_failure 66
	assert_equal "$stderr" "bep-tail: missing: no such file"
}

@test "misuse is 64" {
	run bep-tail
	assert_failure 64
	run bep-tail one two
	assert_failure 64
	run bep-tail --pid 1 one -- true
	assert_failure 64
	run bep-tail one --
	assert_failure 64
	run bep-tail - <one
	assert_failure 64
	run script -qec "bep-tail one" /dev/null
	assert_failure 64
	assert_output --partial "bep-tail FILE | bep-reduce"
}

# ---- stdout

@test "a reader that goes away: 69, quietly, also while nothing is written" {
	{ cat one; head -c 300000 /dev/zero; } >e.bep
	bep-tail -n e.bep 2>err | head -c 1 >/dev/null
	assert_equal "${PIPESTATUS[0]}" 69
	assert_equal "$(cat err)" ""
	hex $A >e.bep
	{ bep-tail e.bep 2>err || echo $? >status; } | head -c 13 >/dev/null
	assert_equal "$(cat status)" 69
	assert_equal "$(cat err)" ""
}

@test "a full disk: 74" {
	run bep-tail one >/dev/full
	run sh -c 'bep-tail one 2>&1 >/dev/full'
	assert_failure 74
	assert_output "bep-tail: stdout: No space left on device"
}

# ---- following

@test "a stream that comes byte by byte" {
	: >e.bep
	tail_in_background
	local byte
	for byte in $(seq 1 49); do
		head -c "$byte" one | tail -c 1 >>e.bep
	done
	ended 0
	cmp out one
}

@test "A06 a partial frame is 'not yet' while the client lives, and 65 when it is gone" {
	start_client
	tail_in_background --pid "$client" --grace=100ms
	cat cut >e.bep
	wait_for 5 has out 26
	sleep 0.3
	run ! gone "$tail"
	end_client
	ended 65
	assert_equal "$(cat err)" "bep-tail: e.bep: incomplete: ends inside the frame at byte 26, of which 4 bytes came"
	cmp out <(head -c 26 one)
}

@test "a file that appears later is waited for, in a folder that appears later, too" {
	tail_in_background
	wait_for 5 sleeps "$tail"
	cp one e.bep
	ended 0
	cmp out one
	assert_equal "$(cat err)" "bep-tail: e.bep: does not exist yet; waiting for it"
	bep-tail folder/e.bep >out 3>&- &
	tail=$!
	wait_for 5 sleeps "$tail"
	mkdir folder && cp one folder/e.bep
	ended 0
	cmp out one
}

@test "--wait ends the waiting" {
	run bep-tail -q --wait=100ms missing
	assert_failure 66
	assert_output "bep-tail: missing: no such file appeared in time"
}

@test "a link to a file that is still to come" {
	mkdir there && ln -s there/e.bep e.bep
	tail_in_background
	wait_for 5 sleeps "$tail"
	cp one there/e.bep
	ended 0
	cmp out one
}

@test "idle it does not run" {
	head -c 26 one >e.bep
	start_client
	touch e.bep
	tail_in_background --pid "$client"
	wait_for 5 sleeps "$tail"
	local before
	sleep 0.2
	before=$(switches "$tail")
	sleep 1
	assert_equal "$(switches "$tail")" "$before"
	end_client
	kill "$tail"
}

@test "without inotify, without watches, without pidfd: it polls" {
	need strace
	local call
	for call in inotify_init1:error=EMFILE inotify_add_watch:error=ENOSPC pidfd_open:error=ENOSYS; do
		rm -f e.bep
		start_client
		injected -e "inject=$call" bep-tail --pid "$client" --grace=50ms e.bep >out 2>err 3>&- &
		tail=$!
		sleep 0.2
		cp cut e.bep
		wait_for 5 has out 26
		end_client
		ended 65
	done
}

@test "reads that are short or interrupted change nothing" {
	need strace
	cp one e.bep
	(injected -P "$PWD/e.bep" -P "$PWD/out" -e inject=pread64,write:error=EINTR:when=1+2 bep-tail e.bep) >out
	cmp out one
}

# ---- the client

@test "the client is gone and there is no file: 66 at once" {
	start_client
	tail_in_background --pid "$client" --grace=60
	end_client
	ended 66
	assert_equal "$(cat err)" "bep-tail: e.bep: process $client ended without writing it"
	tail_in_background --pid "$client" # no such process
	ended 66
}

@test "the client is gone and the stream is complete: no wait" {
	start_client
	tail_in_background --pid "$client" --grace=60
	cp one e.bep
	wait_for 5 has out 49
	end_client
	ended 0
}

@test "A05 the client is gone, the server goes on to write" {
	start_client
	tail_in_background --pid "$client" --grace=1
	head -c 13 one >e.bep
	wait_for 5 has out 13
	end_client
	for byte in $(seq 14 49); do
		sleep 0.05
		head -c "$byte" one | tail -c 1 >>e.bep
	done
	ended 0
	cmp out one
}

@test "the last message passed, the client lives on (bazel run): ends after the grace" {
	start_client
	tail_in_background --pid "$client" --grace=200ms
	cp one e.bep
	ended 0
	run ! gone "$client"
	end_client
}

@test "-- COMMAND is the client, {} is FILE" {
	bep-tail x.bep -- sh -c 'echo said; cp one $1' sh {} >out 2>err
	cmp out one
	assert_equal "$(cat err)" said
	run --separate-stderr bep-tail y.bep -- /nonexistent
	assert_failure 69
	assert_equal "$stderr" "bep-tail: /nonexistent: No such file or directory"
	run bep-tail y.bep -- false
	assert_failure 66
}

# ---- A08 yesterday's file

@test "a file from before the client is never emitted: 66" {
	cp one e.bep
	touch -d yesterday e.bep
	start_client
	tail_in_background --pid "$client" --grace=60
	sleep 0.2
	assert_equal "$(stat -c %s out)" 0
	end_client
	ended 66
	assert_equal "$(cat err)" "bep-tail: e.bep: not written by process $client"
	assert_equal "$(stat -c %s out)" 0
}

@test "the same, written only 100 ms before, and when the client was gone before we came" {
	cp one e.bep
	sleep 0.1
	start_client
	end_client
	run --separate-stderr bep-tail --pid "$client" e.bep
	# gone and reaped: nothing tells its start; what is this recent counts as its
	assert_success
	touch -d '1 minute ago' e.bep
	run --separate-stderr bep-tail --pid "$client" e.bep
	assert_failure 66
	cp one e.bep
	sleep 0.1
	run bep-tail e.bep -- true
	assert_failure 66
	assert_output "bep-tail: e.bep: not written by process ${output##* }"
}

@test "yesterday's file, then truncated and written by the client" {
	cp one e.bep
	touch -d yesterday e.bep
	start_client
	tail_in_background --pid "$client"
	wait_for 5 sleeps "$tail"
	cat long >e.bep
	wait_for 5 has out "$(stat -c %s long)"
	end_client
	ended 0
	cmp out long
}

@test "yesterday's file, then replaced by the client" {
	cp one e.bep
	touch -d yesterday e.bep
	start_client
	tail_in_background --pid "$client"
	wait_for 5 sleeps "$tail"
	cp short new && mv new e.bep
	wait_for 5 has out "$(stat -c %s short)"
	end_client
	ended 0
	cmp out short
}

# ---- A03 a second attempt

# second_attempt HOW FIRST SECOND: FIRST has passed; what then happens to the file; both must come out.
second_attempt() {
	rm -f e.bep
	start_client
	tail_in_background --pid "$client"
	cp "$2" e.bep
	wait_for 5 has out "$4"
	kill -STOP "$tail"
	case $1 in
	truncate) cat "$3" >e.bep ;;
	unlink) rm e.bep && cp "$3" e.bep ;;
	rename) cp "$3" new && mv new e.bep ;;
	esac
	kill -CONT "$tail"
	wait_for 5 has out $(($4 + $(stat -c %s "$3")))
	end_client
	ended 0
	head -c "$4" "$2" | cat - "$3" | cmp - out
}

@test "A03 the file is truncated in place and written anew, shorter or longer" {
	second_attempt truncate one short 49
	second_attempt truncate one long 49
	assert_equal "$(cat err)" "bep-tail: e.bep: begun anew after 3 events"
}

@test "A03 the file is unlinked and made anew, or another is renamed over it" {
	local how second
	for how in unlink rename; do
		for second in short long; do
			second_attempt $how one $second 49
		done
	done
}

@test "A03 the first attempt ends inside a frame: the rest of it is not glued to the second" {
	local how
	for how in truncate unlink rename; do
		second_attempt $how cut long 26
	done
}

@test "A03 a second attempt that is incomplete decides" {
	start_client
	tail_in_background --pid "$client" --grace=50ms
	cp one e.bep
	wait_for 5 has out 49
	cat cut >e.bep
	wait_for 5 has out 75
	end_client
	ended 65
}

# ---- signals

@test "the first signal ends the stream: complete 0, otherwise the signal's status" {
	local sig
	for sig in INT TERM HUP; do
		cp cut e.bep
		# a shell ignores SIGINT for what it starts in the background
		python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' \
			bep-tail e.bep >out 2>err 3>&- &
		tail=$!
		wait_for 5 has out 26
		wait_for 5 sleeps "$tail"
		kill -"$sig" "$tail"
		ended $((128 + $(kill -l "$sig")))
		one_line err bep-tail
	done
	start_client
	tail_in_background --pid "$client" --grace=60
	cp one e.bep
	wait_for 5 has out 49
	kill "$tail"
	ended 0
	end_client
}

@test "COMMAND gets the signal and its stream goes on to the end: 0" {
	bep-tail e.bep -- bash -c 'trap "cat one >$1; exit 8" TERM; echo ready; while :; do sleep 0.02; done' bash {} >out 2>err 3>&- &
	tail=$!
	wait_for 5 grep -q ready err
	kill "$tail"
	ended 0
	cmp out one
}

@test "a signal ends it while its reader sleeps" {
	{ for _ in $(seq 10000); do printf %s "$A"; done; echo; } | xxd -r -p >e.bep
	mkfifo pipe
	sleep 600 <pipe 3>&- &
	bep-tail e.bep >pipe 2>err 3>&- &
	tail=$!
	wait_for 5 grep -qE '^(1|64) 0x1 ' "/proc/$tail/syscall" # write(2) to stdout
	kill "$tail"
	ended 143
	kill %1
}

# ---- the long runs, sampled; test/source/night does all of it

@test "A04 200 writers that create, fill and close the file within 5 ms" {
	mkdir race
	run "$TOP/test/source/race-tail" 200 race
	assert_success
	assert_output ""
}

@test "100,000 events in 8 MiB" {
	python3 -c "import sys; sys.stdout.buffer.write(bytes.fromhex('c801' + '1ac501' + '78' * 197) * 100000)" >e.bep
	tail_in_background
	wait_for 20 has out 20200000
	wait_for 5 sleeps "$tail"
	[ "$(awk '/VmHWM/ { print $2 }' "/proc/$tail/status")" -le 8192 ]
	kill "$tail"
	cmp out e.bep
}

@test "every call that can fail, once and for ever: a status of the table, whole frames" {
	cp one "$BATS_FILE_TMPDIR/one"
	run "$TOP/test/fault/torture" --calls=alloc,open,read,write,poll --frames bep-tail "bep-tail $BATS_FILE_TMPDIR/one"
	assert_success
}
