#!/usr/bin/env bats
# bep-tail and bep-fifo with the real Bazel: good, failing, rejected, interrupted, killed.
load lib

setup_file() {
	start_bazel
	bz build //good/gen/... >/dev/null 2>&1 || :
}
teardown_file() { stop_bazel; }
setup() { cd "$BATS_TEST_TMPDIR" || return; }

# client_in_background ARGUMENT...: Bazel writes $file, an absolute path; $client.
client_in_background() {
	local command=$1
	shift
	exec_bz "$command" --build_event_binary_file="$file" "$@" >console 2>&1 3>&- &
	client=$!
}

# tail_of ARGUMENT...: the same beside bep-tail; $status, `out`, `err`.
tail_of() {
	file=$PWD/e.bep
	client_in_background "$@"
	status=0
	timeout 60 bep-tail --pid "$client" e.bep >out 2>err || status=$?
}

# fifo_of ARGUMENT...: the same into a FIFO; the other transport's file is the oracle where there is one.
fifo_of() {
	status=0
	(cd "$WORKSPACE" && timeout 60 bep-fifo "$BATS_TEST_TMPDIR/q" -- bazel --output_user_root="$BAZEL_ROOT" \
		--max_idle_secs=600 "$1" --build_event_binary_file={} "${@:2}") >out 2>err 3>&- || status=$?
	assert test ! -e q
}

# server_pid: of this suite's Bazel.
server_pid() { cat "$BAZEL_ROOT"/*/server/server.pid.txt; }

# wait_for_action N: until nap_N's action runs.
wait_for_action() { wait_for 60 pgrep -f "^/bin/bash -c source .*sleep $1; echo $1"; }

@test "a good build, cold and cached, 3 times" {
	local i
	for i in 1 2 3; do
		tail_of build //good/gen/...
		assert_equal "$status" 0
		cmp out e.bep
		fifo_of build //good/gen/...
		assert_equal "$status" 0
		assert [ "$(stat -c %s out)" -gt 1000 ]
	done
}

@test "a compile error and a failing test" {
	tail_of build //broken/cc_compile/...
	assert_equal "$status" 0
	cmp out e.bep
	tail_of test //tests/fail:sh_message_test
	assert_equal "$status" 0
	cmp out e.bep
	fifo_of build //broken/cc_compile/...
	assert_equal "$status" 0
}

@test "A01 an unknown flag: two events; an unknown command: nothing at all, at once" {
	tail_of build --nonsense //good/gen/...
	assert_equal "$status" 0
	cmp out e.bep
	rm e.bep
	tail_of nonsense
	assert_equal "$status" 66
	assert_equal "$(cat err)" "bep-tail: e.bep: process $client ended without writing it"
	fifo_of nonsense
	assert_equal "$status" 69
	assert_regex "$(cat err)" "Command 'nonsense' not found"
}

@test "the same with yesterday's file lying there" {
	tail_of build //good/gen/...
	cp e.bep kept
	touch -d yesterday e.bep # one of just now would be taken for the client's where that is gone already
	tail_of nonsense
	assert_equal "$status" 66
	assert_equal "$(cat err)" "bep-tail: e.bep: not written by process $client"
	assert_equal "$(stat -c %s out)" 0
	cmp e.bep kept
	tail_of build //good/gen/...
	assert_equal "$status" 0
	cmp out e.bep
}

@test "interrupted: the stream is complete" {
	file=$PWD/e.bep
	client_in_background build //slow:nap_60
	bep-tail --pid "$client" e.bep >out 2>err 3>&- &
	tail=$!
	wait_for_action 60
	kill -TERM "$client"
	wait_for 30 gone "$tail"
	wait "$tail"
	cmp out e.bep
	bep-fifo q -- bash -c 'cd "$WORKSPACE" && exec bazel --output_user_root="$BAZEL_ROOT" build \
		--build_event_binary_file="$0" //slow:nap_60' "$PWD/q" >out 2>err 3>&- &
	fifo=$!
	wait_for_action 60
	kill -TERM "$fifo" # goes to Bazel's client, too
	wait_for 30 gone "$fifo"
	wait "$fifo"
	assert_regex "$(cat err)" "build interrupted"
}

@test "the client is killed: the server goes on, and its stream is complete" {
	file=$PWD/e.bep
	client_in_background build //slow:nap_2
	bep-tail --pid "$client" --grace=20 e.bep >out 2>err 3>&- &
	tail=$!
	wait_for_action 2
	kill -KILL "$client"
	wait_for 30 gone "$tail"
	wait "$tail"
	cmp out e.bep
	mkfifo q
	file=$PWD/q
	client_in_background build //slow:nap_1
	bep-fifo --pid "$client" --grace=20 q >out 2>err 3>&- &
	fifo=$!
	wait_for_action 1
	kill -KILL "$client"
	wait_for 30 gone "$fifo"
	wait "$fifo"
	assert [ "$(stat -c %s out)" -gt 1000 ]
}

@test "the server is killed: 65, within the grace" {
	file=$PWD/e.bep
	client_in_background build //slow:nap_20
	bep-tail --pid "$client" --grace=100ms e.bep >out 2>err 3>&- &
	tail=$!
	wait_for_action 20
	kill -KILL "$(server_pid)"
	wait_for 30 gone "$tail"
	run wait "$tail"
	assert_failure 65
	assert_regex "$(cat err)" "^bep-tail: e.bep: incomplete: ends "
	cmp -n "$(stat -c %s out)" out e.bep
	# Another action: the first one may live on where Bazel has no linux-sandbox.
	file=$PWD/q
	mkfifo q
	client_in_background build //slow:nap_5
	bep-fifo --pid "$client" --grace=60 q >out 2>err 3>&- &
	fifo=$!
	wait_for_action 5
	kill -KILL "$(server_pid)"
	wait_for 30 gone "$fifo"
	run wait "$fifo"
	assert_failure 65
}

@test "the reader of bep-fifo goes away: the build is not hurt" {
	(cd "$WORKSPACE" && bep-fifo "$BATS_TEST_TMPDIR/q" -- bazel --output_user_root="$BAZEL_ROOT" build \
		--build_event_binary_file={} //good/many/...) 2>err | head -c 100 >/dev/null || :
	assert_regex "$(cat err)" "Build completed successfully"
	run ! grep -q "Broken pipe" err
}
