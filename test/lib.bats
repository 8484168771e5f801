#!/usr/bin/env bats
# The helpers that the other suites stand on.
load lib

@test "a frame's length is a varint" {
	assert_equal "$(varint 0)" 00
	assert_equal "$(varint 127)" 7f
	assert_equal "$(varint 128)" 8001
	assert_equal "$(varint 300)" ac02
	assert_equal "$(frame '0a 01 41' | od -An -tx1 | tr -d ' ')" 030a0141
}

@test "event encodes protobuf text" {
	assert_equal "$(event 'id{progress{}} last_message:true' | od -An -tx1 | tr -d ' ')" 070a021200a00101
}

@test "wait_for ends by success and by time" {
	run ! wait_for 0 false
	(sleep 0.1 && touch "$BATS_TEST_TMPDIR/there") &
	wait_for 5 test -e "$BATS_TEST_TMPDIR/there"
}

@test "a process that outlives its parent is seen" {
	sh -c 'sleep 60 & echo $!' >"$BATS_TEST_TMPDIR/pid" 3>&-
	pid=$(cat "$BATS_TEST_TMPDIR/pid")
	run leaked_processes
	kill "$pid"
	assert_output "$pid sleep 60"
	assert_no_leak
}
