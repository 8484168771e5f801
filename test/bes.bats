#!/usr/bin/env bats
# bes-recv: what it promises a Bazel client, its access control, its ends. The client is scripted
# (bes_client.py) or the real Bazel.

load lib

export BATS_TEST_TIMEOUT=120
CLIENT() { EXPECT="$BATS_TEST_TMPDIR/want.bep" "$TOP/test/bes_client.py" "$@"; }

setup() {
	/usr/bin/python3 -c 'import grpc' 2>/dev/null || skip "python3-grpcio is not installed"
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || kill -9 ${RECV-} ${WRITER-} 2>/dev/null # its failure is told already
	assert_no_leak
}

# serve OPTION...: bes-recv | bep-durable e.bep. Sets ENDPOINT, RECV and WRITER (pids).
serve() {
	rm -f pipe endpoint
	mkfifo pipe endpoint
	bep-durable --force e.bep <pipe >passed.bep 2>durable.err 3>&- &
	WRITER=$!
	bes-recv --endpoint-file endpoint "$@" >pipe 2>recv.err 3>&- &
	RECV=$!
	read -r ENDPOINT <endpoint
}

# ended RECV-STATUS WRITER-STATUS: both are over, with these.
ended() {
	local status=0
	wait "$RECV" || status=$?
	[ "$status" = "$1" ] || fail "bes-recv: $status, not $1: $(cat recv.err)"
	status=0
	wait "$WRITER" || status=$?
	[ "$status" = "$2" ] || fail "bep-durable: $status, not $2: $(cat durable.err)"
}

# scenario NAME ARGUMENT...: the client is content, FILE holds what it sent, both end with 0.
scenario() {
	run CLIENT "$ENDPOINT" "$@"
	assert_success
	ended 0 0
	cmp want.bep e.bep
}

# ---- acknowledgement

@test "an acknowledgement a sequence number, in order, then OK" {
	serve
	scenario whole 3000
	cmp want.bep passed.bep
}

@test "a client that waits for each acknowledgement is served" {
	serve
	scenario stop-and-wait
}

@test "nothing is acknowledged before the writer has accepted it; half-close waits for it" {
	serve
	scenario half-close-early "$WRITER"
}

@test "--ack=handoff needs no writer and says so" {
	mkfifo endpoint
	bes-recv --ack=handoff --endpoint-file endpoint >e.bep 2>err 3>&- &
	read -r ENDPOINT <endpoint
	CLIENT "$ENDPOINT" whole 200
	wait $!
	cmp want.bep e.bep
	grep -q -- '--ack=handoff' err
}

@test "stdout may be a socket, with --ack-socket on both sides" {
	cat >run.py <<-'END'
		import socket, subprocess
		a, b = socket.socketpair()
		w = subprocess.Popen(["bep-durable", "--ack-socket=ack", "e.bep"], stdin=b, stdout=subprocess.DEVNULL)
		r = subprocess.Popen(["bes-recv", "--ack-socket=ack", "--endpoint-file=endpoint"], stdout=a)
		a.close(); b.close()
		raise SystemExit(r.wait() or w.wait())
	END
	mkfifo endpoint
	/usr/bin/python3 run.py 3>&- &
	read -r ENDPOINT <endpoint
	CLIENT "$ENDPOINT" whole 20000
	wait $!
	cmp want.bep e.bep
}

@test "without a writer it ends before Bazel is told, with 69 and what to do" {
	run bash -c 'bes-recv --ack-timeout=200ms -- touch started | cat; exit ${PIPESTATUS[0]}'
	assert_failure 69
	assert_output --partial 'put bep-durable directly after bes-recv, or say --ack=handoff'
	[ ! -e started ]
}

@test "stdout that is no pipe is refused by name" {
	run bash -c 'bes-recv >file'
	assert_failure 64
	assert_output --partial '--ack-socket'
}

# ---- numbers

@test "a stream that breaks goes on from the first number that was not acknowledged" {
	serve
	scenario resume
}

@test "a stream that breaks may come back from number 1" {
	serve
	scenario restart
}

@test "when all acknowledgements were lost, the end alone may come back" {
	serve --pid $$
	scenario only-finish
}

@test "a gap ends the call with UNAVAILABLE, so that the client sends again" {
	serve
	scenario gap
}

@test "a stream that does not begin with 1 has a gap" {
	serve
	scenario first-is-missing
}

@test "1,000 reconnects: each event once, in order" {
	serve
	scenario reconnect 1000
}

@test "a second attempt under the same ids is passed on behind the first" {
	serve --pid $$
	scenario second-attempt
}

@test "a second attempt under another invocation id of the same build, too" {
	serve --pid $$
	scenario second-attempt retried
}

@test "other invocations are acknowledged and dropped" {
	serve
	scenario other-invocation
	grep -q '9 requests of other builds' recv.err
}

@test "--invocation-id: ours is that one, whoever comes first" {
	serve --invocation-id chosen
	scenario other-invocation chosen
}

# ---- events

@test "what is no event of Bazel's is acknowledged and not written" {
	serve
	scenario oddities
}

@test "a request that is no protobuf ends its own call only" {
	serve
	scenario no-protobuf
}

@test "an unknown method is UNIMPLEMENTED" {
	serve
	scenario other-method
}

@test "events of 4 MiB and a byte less and more, and 10.9 MB" {
	serve
	scenario sizes 4194303 4194304 4194305 10913322
}

@test "an event of 97 MB" {
	serve
	scenario sizes 97000000
}

@test "an event over --max-frame is acknowledged, missing, and said: 65" {
	serve --max-frame=64K
	run CLIENT "$ENDPOINT" too-long
	assert_success
	ended 65 0
	cmp want.bep e.bep
	grep -q '1 events were longer than --max-frame' recv.err
}

@test "gzip is accepted" {
	serve
	scenario gzip
}

@test "lifecycle calls are answered before, during and after the stream" {
	serve
	scenario lifecycle
}

@test "keepalive pings never end a connection" {
	serve
	scenario pings
}

# ---- failure

@test "the writer is killed: FAILED_PRECONDITION, which Bazel does not retry; 69" {
	serve
	run CLIENT "$ENDPOINT" writer-dies "$WRITER" fail
	assert_success
	ended 69 137
	cmp want.bep e.bep
}

@test "the writer is killed: --on-failure=drain acknowledges the rest; 74" {
	serve --on-failure=drain
	run CLIENT "$ENDPOINT" writer-dies "$WRITER" drain
	assert_success
	ended 74 137
	cmp want.bep e.bep
}

@test "the writer is killed after half-close: acknowledgements and OK, never an error" {
	serve
	run CLIENT "$ENDPOINT" writer-dies "$WRITER" half-close
	assert_success
	ended 69 137
}

@test "--drain acknowledges every number and writes nothing" {
	mkfifo endpoint
	bes-recv --drain --endpoint-file endpoint >out 3>&- &
	read -r ENDPOINT <endpoint
	CLIENT "$ENDPOINT" anything
	wait $!
	[ ! -s out ]
}

@test "kill -9 of bes-recv: every acknowledged event is in FILE, bep-durable ends with 65" {
	local acknowledged
	serve
	CLIENT "$ENDPOINT" until-dead acknowledged >streaming 3>&- &
	local client=$!
	wait_for 20 test -s streaming
	sleep 0.2
	kill -9 "$RECV"
	wait $client
	ended 137 65
	acknowledged=$(cat acknowledged)
	[ "$acknowledged" -gt 100 ]
	[ "$(/usr/bin/python3 "$TOP/test/bes_client.py" - count-frames e.bep)" -ge "$acknowledged" ]
}

@test "a stranger gets nothing acknowledged and disturbs nothing" {
	need setpriv
	[ "$(id -u)" -eq 0 ] || skip "only root can be somebody else"
	serve
	# From stdin: the stranger may not be able to read our folders.
	run bash -c 'cd / && setpriv --reuid=65534 --clear-groups /usr/bin/python3 - "$1" refused <"$2"' \
		_ "$ENDPOINT" "$TOP/test/bes_client.py"
	assert_success
	scenario whole 300
	grep -q "a connection is refused: it is another user's" recv.err
}

@test "rude clients get nothing that a good one misses: memory, descriptors, threads, its own stream" {
	run "$TOP/test/bes/rude" 8
	assert_success
}

@test "killed at its system calls: no acknowledged event is missing" {
	need strace
	run "$TOP/test/bes/killsweep" 15
	assert_success
}

# ---- ways to be called

@test "the endpoint: on --ready-fd, in --endpoint-file, else one line on stderr" {
	bes-recv --drain --ready-fd 7 7>ready 2>err 3>&- &
	wait_for 10 grep -q . ready
	grep -qE '^grpc://127\.0\.0\.1:[0-9]+$' ready
	[ ! -s err ]
	kill $!
	wait $! || :
	bes-recv --drain 2>err 3>&- &
	wait_for 10 grep -qE '^bes-recv: grpc://127\.0\.0\.1:[0-9]+$' err
	kill $!
	wait $! || :
}

@test "the port is ours alone, and free again at once" {
	local port
	bes-recv --drain --ready-fd 7 7>ready 3>&- &
	wait_for 10 grep -q . ready
	port=$(sed 's/.*://' ready)
	run bes-recv --drain --listen "127.0.0.1:$port"
	assert_failure 69
	assert_output --partial 'Address already in use'
	CLIENT "$(cat ready)" anything
	wait $!
	run timeout --preserve-status -s TERM 1 bes-recv --drain --listen "127.0.0.1:$port"
	assert_output --partial "grpc://127.0.0.1:$port"
}

@test "no option makes it listen on another interface" {
	local address
	for address in 0.0.0.0:0 192.168.1.1:1 '[::]:0' localhost:0 127.0.0.1 127.0.0.1:65536 unix:; do
		run bes-recv --drain --listen "$address"
		assert_failure 64
	done
}

@test "a Unix socket: for its owner only, dead ones replaced, removed at the end" {
	bes-recv --drain --listen unix:sock 2>err 3>&- &
	wait_for 10 test -S sock
	[ "$(stat -c %a sock)" = 600 ]
	run bes-recv --drain --listen unix:sock
	assert_failure 69
	kill -9 $!
	wait $! || :
	[ -S sock ]
	rm -f endpoint
	mkfifo endpoint
	bes-recv --drain --listen unix:sock --endpoint-file endpoint 3>&- &
	read -r ENDPOINT <endpoint
	[ "$ENDPOINT" = unix:sock ]
	CLIENT unix:sock anything
	wait $!
	[ ! -e sock ]
}

@test "proxies in the environment have no effect" {
	export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 ALL_PROXY=http://127.0.0.1:9
	serve
	scenario whole 50
}

@test "-- COMMAND: {} is the endpoint, its stdout goes to stderr; no stream: 65, at once" {
	run --separate-stderr bash -c 'time -p bes-recv --ack=handoff -- echo at {} | cat; exit ${PIPESTATUS[0]}'
	assert_output ''
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"at grpc://127.0.0.1:"* ]]
	[[ $stderr == *"no build event stream came"* ]]
}

@test "a client that goes away in mid-stream: the grace, then 65 and the offset" {
	sleep 60 3>&- &
	local client=$!
	serve --pid $client --grace 300ms
	CLIENT "$ENDPOINT" until-dead acknowledged >streaming 3>&- &
	wait_for 20 test -s streaming
	kill -9 $! $client
	ended 65 65
	grep -q 'without its last message' recv.err
}

@test "SIGTERM ends a waiting server by that signal" {
	serve
	kill "$RECV"
	ended 143 65
}

@test "SIGTERM reaches COMMAND, whose stream goes on to its end" {
	bes-recv --ack=handoff -- sh -c 'trap "touch told; exit" TERM; touch up; while :; do sleep 0.05; done' \
		>e.bep 2>err 3>&- &
	local recv=$! status=0
	wait_for 10 test -e up
	kill $recv
	wait_for 10 test -e told
	wait $recv || status=$?
	[ "$status" = 143 ] # no stream came
}

@test "--each: a command for each build, 100 at once" {
	mkdir out
	mkfifo endpoint
	bes-recv --endpoint-file endpoint \
		--each 'bep-durable "out/$BES_INVOCATION_ID.bep" >/dev/null; echo "$BES_BUILD_ID" >"out/$BES_INVOCATION_ID.build"' \
		2>err 3>&- &
	local recv=$! i
	read -r ENDPOINT <endpoint
	CLIENT "$ENDPOINT" concurrent 100 out
	kill $recv
	wait $recv
	for i in {0..99}; do
		cmp "out/inv-$i.want" "out/inv-$i.bep"
		[ "$(cat "out/inv-$i.build")" = "build-$i" ]
	done
}

@test "--each: a broken stream keeps its command; ids that are no names are dropped" {
	mkfifo endpoint
	bes-recv --endpoint-file endpoint --each 'bep-durable "$BES_INVOCATION_ID.bep" >/dev/null' 2>err 3>&- &
	local recv=$!
	read -r ENDPOINT <endpoint
	CLIENT "$ENDPOINT" resume
	CLIENT "$ENDPOINT" known
	CLIENT "$ENDPOINT" no-name
	kill $recv
	wait $recv
	cmp want.bep inv.bep
	[ "$(echo *.bep)" = "inv.bep want.bep" ]
}

@test "--each: a command that dies early is a failed writer of its own build only" {
	mkfifo endpoint
	bes-recv --endpoint-file endpoint \
		--each 'case $BES_INVOCATION_ID in inv) bep-durable inv.bep >/dev/null;; *) exit 3;; esac' 2>err 3>&- &
	local recv=$!
	read -r ENDPOINT <endpoint
	CLIENT "$ENDPOINT" failing-command
	CLIENT "$ENDPOINT" whole 100
	kill $recv
	local status=0
	wait $recv || status=$?
	[ "$status" = 143 ] # ended by the signal, as not everything is well
	cmp want.bep inv.bep
	grep -q 'bad: the command ended with exit status 3' err
}
