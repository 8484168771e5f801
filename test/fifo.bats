#!/usr/bin/env bats
# bep-fifo with stand-ins for Bazel, which do on demand what a real one does rarely. sources-bazel.bats has
# the real one.
load lib
load source/streams.bash

setup() { streams; }

# fifo_in_background ARGUMENT...: bep-fifo with its output in `out` and `err`, ready; $fifo is its pid.
fifo_in_background() {
	bep-fifo "$@" >out 2>err 3>&- 9>&- &
	fifo=$!
	wait_for 5 test -p q
	wait_for 5 sleeps "$fifo"
}

# ended STATUS: bep-fifo ends by itself with STATUS, and the FIFO is gone.
ended() {
	wait_for 10 gone "$fifo" || fail "bep-fifo does not end: $(cat err)"
	run wait "$fifo"
	assert_equal "$status" "$1"
	run ! test -e q
}

# ---- without a client

@test "a stream, 0600 while it runs, removed at the end" {
	fifo_in_background q
	assert_equal "$(stat -c %a q)" 600
	cat one >q
	ended 0
	cmp out one
	assert_equal "$(cat err)" ""
}

@test "A06 incomplete: whole frames pass, 65 names the offset" {
	fifo_in_background q
	cat cut >q
	ended 65
	cmp out <(head -c 26 one)
	assert_equal "$(cat err)" "bep-fifo: q: incomplete: ends inside the frame at byte 26, of which 4 bytes came"
}

@test "split at every byte by the writer" {
	local cut
	for cut in $(seq 1 48); do
		fifo_in_background q
		{ head -c "$cut" one; sleep 0.01; tail -c +$((cut + 1)) one; } >q
		ended 0
		cmp out one
	done
}

@test "a writer that opens and closes without a word" {
	fifo_in_background q
	: >q
	ended 65
	assert_equal "$(cat err)" "bep-fifo: q: incomplete: ends at byte 0, after 0 events, without the last message"
}

# ---- the FIFO itself

@test "what is there already: a file is refused, a FIFO in use is refused, a dead one's is taken" {
	touch q
	run --separate-stderr bep-fifo q
	assert_failure 73
	assert_equal "$stderr" "bep-fifo: q: exists and is no FIFO"
	rm q && mkfifo -m 644 target && ln -s target q
	run bep-fifo q
	assert_failure 73
	rm q target
	fifo_in_background q
	run --separate-stderr bep-fifo q
	assert_failure 73
	assert_equal "$stderr" "bep-fifo: q: another bep-fifo reads it"
	kill -KILL "$fifo"
	wait_for 5 gone "$fifo"
	assert test -p q
	chmod 644 q
	fifo_in_background q
	assert_equal "$(stat -c %a q)" 600
	cat one >q
	ended 0
	cmp out one
}

@test "another user's FIFO, a missing folder, misuse" {
	if [ "$(id -u)" = 0 ]; then
		mkfifo q && chown 1 q
		run bep-fifo q
		assert_failure 73
		assert_output "bep-fifo: q: a FIFO of another user"
	fi
	run bep-fifo missing/q
	assert_failure 73
	assert_output "bep-fifo: missing/q: No such file or directory"
	run bep-fifo
	assert_failure 64
	run script -qec "bep-fifo q2" /dev/null
	assert_failure 64
	run ! test -e q2
}

@test "its name is another file's by the end: that one stays" {
	fifo_in_background q
	exec 9>q
	rm q && touch q
	cat one >&9
	exec 9>&-
	wait_for 5 gone "$fifo"
	assert test -f q
	cmp out one
}

# ---- with a client

@test "A01 never opened: 69 as soon as the client has gone" {
	start_client
	fifo_in_background --pid "$client" --grace=60 q
	end_client
	ended 69
	assert_equal "$(cat err)" "bep-fifo: q: process $client ended without opening it"
}

@test "A01 COMMAND fails, or is not there" {
	run --separate-stderr bep-fifo --grace=60 q -- sh -c 'echo "Unrecognized option" >&2; exit 2'
	assert_equal "$status" 69
	assert_regex "$stderr" "Unrecognized option"
	assert_regex "$stderr" "ended without opening it"
	run --separate-stderr bep-fifo q -- /nonexistent
	assert_failure 69
	assert_equal "$stderr" "bep-fifo: /nonexistent: No such file or directory"
	run ! test -e q
}

@test "COMMAND gets the path for {}, its stdout goes to stderr" {
	bep-fifo q -- sh -c 'echo said; cat one >"$1"' sh '{}' >out 2>err
	cmp out one
	assert_equal "$(cat err)" said
}

@test "A02 the FIFO is closed and opened again: both attempts pass, the last decides" {
	start_client
	fifo_in_background --pid "$client" --grace=10ms q
	cat one >q
	sleep 0.5 # longer than the grace, which does not count while the client lives
	assert test -p q
	cat long >q
	: >q
	cat short >q
	wait_for 5 has out $((49 + $(stat -c %s long) + $(stat -c %s short)))
	end_client
	ended 0
	cat one long short | cmp - out
}

@test "A02 50 quick writers in a row, split anywhere" {
	start_client
	fifo_in_background --pid "$client" q
	local i
	for i in $(seq 49); do
		head -c "$i" one | tail -c 1 >q
	done
	cat long >q
	wait_for 5 has out $((49 + $(stat -c %s long)))
	end_client
	ended 0
	cat one long | cmp - out
}

@test "A02 a second attempt that never comes, or is incomplete" {
	start_client
	fifo_in_background --pid "$client" --grace=60 q
	cat one >q
	end_client
	ended 0
	start_client
	fifo_in_background --pid "$client" --grace=60 q
	cat one >q
	cat cut >q
	end_client
	ended 65
}

@test "between writers it does not run" {
	start_client
	fifo_in_background --pid "$client" q
	cat cut >q
	wait_for 5 has out 26
	sleep 0.2
	local before
	before=$(switches "$fifo")
	sleep 1
	assert_equal "$(switches "$fifo")" "$before"
	end_client
	ended 65
}

@test "A05 the client is gone, the server goes on to write; then it stops" {
	start_client
	fifo_in_background --pid "$client" --grace=500ms q
	exec 9>q
	head -c 13 one >&9
	wait_for 5 has out 13
	end_client
	local byte
	for byte in $(seq 14 49); do
		sleep 0.02
		head -c "$byte" one | tail -c 1 >&9
	done
	ended 0 # the last message has passed: no wait, though the writer is still there
	exec 9>&-
	cmp out one
	start_client
	fifo_in_background --pid "$client" --grace=100ms q
	exec 9>q
	cat cut >&9
	end_client
	ended 65
	exec 9>&-
	start_client
	fifo_in_background --pid "$client" --grace=60 q
	exec 9>q
	end_client
	ended 65 # open, but no byte was ever seen: no wait
	exec 9>&-
}

@test "F06 a grandchild that lives on holds nothing up" {
	timeout 10 bep-fifo --grace=60 q -- sh -c 'cat one >$1; sleep 600 & echo $! >pid' sh {} >out 2>err 3>&-
	cmp out one
	kill "$(cat pid)"
}

@test "without pidfd the client is polled" {
	need strace
	run injected -e inject=pidfd_open:error=ENOSYS bep-fifo q -- sh -c 'cat one >$1; sleep 0.3' sh {}
	assert_success
}

# ---- faults of ours never hurt the writer

# writes_much STATUS: a writer of 1 MB after the fault is not disturbed; bep-fifo ends with STATUS.
writes_much() {
	head -c 1000000 /dev/zero >q
	end_client
	ended "$1"
}

@test "the reader of stdout goes away: drained, 69" {
	start_client
	mkfifo pipe
	head -c 5 pipe >/dev/null 3>&- &
	reader=$!
	bep-fifo --pid "$client" q >pipe 2>err 3>&- &
	fifo=$!
	wait_for 5 test -p q
	cat one >q
	wait_for 5 gone "$reader"
	writes_much 69
	assert_regex "$(cat err)" "the reader of stdout has gone"
	assert_regex "$(cat err)" "bytes were read and not passed on"
}

@test "a malformed stream: drained, 65; a full disk: drained, 74" {
	start_client
	fifo_in_background --pid "$client" q
	hex $A ffffffffffffffffffff01 >q
	writes_much 65
	cmp out <(hex $A)
	assert_regex "$(cat err)" "malformed: no frame begins at byte 13"
	start_client
	bep-fifo --pid "$client" q >/dev/full 2>err 3>&- &
	fifo=$!
	wait_for 5 test -p q
	cat one >q
	writes_much 74
	assert_regex "$(cat err)" "stdout: No space left on device"
}

@test "--drain reads and forgets, in the place of a bep-fifo that was killed" {
	start_client
	fifo_in_background --pid "$client" q
	exec 9<>q # as a Bazel that has it open
	cat cut >&9
	wait_for 5 has out 26
	kill -KILL "$fifo"
	wait_for 5 gone "$fifo"
	fifo_in_background --drain --pid "$client" q
	head -c 1000000 /dev/zero >&9
	exec 9>&-
	end_client
	ended 0
	assert_equal "$(cat out)" ""
}

# ---- signals

@test "no client and no writer: a signal ends it and the FIFO is removed" {
	local sig
	for sig in TERM HUP; do
		fifo_in_background q
		kill -$sig "$fifo"
		ended $((128 + $(kill -l $sig)))
	done
}

@test "another's client: the first signal ends the stream, not the reading; the second ends all" {
	start_client
	mkfifo pipe
	cat pipe >out 3>&- &
	reader=$!
	bep-fifo --pid "$client" q >pipe 2>err 3>&- &
	fifo=$!
	wait_for 5 test -p q
	exec 9>q
	head -c 13 one >&9
	wait_for 5 has out 13
	kill "$fifo"
	wait_for 5 gone "$reader"
	head -c 1000000 /dev/zero >&9
	assert test -p q
	kill "$fifo"
	ended 143
	exec 9>&-
	end_client
	assert_regex "$(cat err)" "SIGTERM: the stream ends here"
}

@test "COMMAND gets the signal and its stream goes on to the end: 0" {
	bep-fifo q -- bash -c 'trap "cat one >$1; exit 8" TERM; echo ready; while :; do sleep 0.02; done' bash {} >out 2>err 3>&- &
	fifo=$!
	wait_for 5 grep -q ready err
	kill "$fifo"
	ended 0
	cmp out one
}

# ---- much

@test "50 MB to a slow reader in 8 MiB, byte for byte" {
	python3 -c "import sys; sys.stdout.buffer.write(bytes.fromhex('c801' + '1ac501' + '78' * 197) * 250000)" >big
	mkfifo pipe
	python3 -c 'import os, time
while True:
    block = os.read(0, 1 << 20)
    if not block: break
    os.write(1, block); time.sleep(0.0005)' <pipe >out 3>&- &
	start_client
	bep-fifo --pid "$client" q >pipe 2>err 3>&- &
	fifo=$!
	wait_for 5 test -p q
	cat big >q
	wait_for 20 has out 50500000
	[ "$(awk '/VmHWM/ { print $2 }' "/proc/$fifo/status")" -le 8192 ]
	end_client
	ended 65
	cmp out big
}

@test "every call that can fail, once and for ever: a status of the table, whole frames, no hang" {
	cp one "$BATS_FILE_TMPDIR/one"
	run "$TOP/test/fault/torture" --calls=alloc,open,read,write,poll --frames bep-fifo \
		"bep-fifo q -- sh -c 'cat $BATS_FILE_TMPDIR/one >\$0' {}"
	assert_success
}
