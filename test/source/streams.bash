# What the suites of the sources share: small streams, and a client to follow.
# shellcheck shell=bash

# Frames of BuildEvent in hex. An ordinary one (25 bytes of progress would do as well), others of the same
# length for second attempts, and the last message: finished, SUCCESS, last_message.
A=0c0a04120208029a060378797a
B=0c0a04120208029a060378797b
C=0c0a04120208029a060378797c
LAST=160a024a00720d08011a090a0753554343455353a00101

# streams: one, short and long (second attempts) and cut (inside its third frame) in the test's folder.
streams() {
	hex $A $A $LAST >"$BATS_TEST_TMPDIR/one"
	hex $B $LAST >"$BATS_TEST_TMPDIR/short"
	hex $C $A $A $A $LAST >"$BATS_TEST_TMPDIR/long"
	hex $A $A 160a024a >"$BATS_TEST_TMPDIR/cut"
	cd "$BATS_TEST_TMPDIR" || return
}

# start_client: a stand-in for Bazel's client that only lives; $client. What is written from now on is
# newer than it, by any clock.
start_client() {
	sleep 600 3>&- &
	client=$!
	sleep 0.05
}

# end_client: it is gone, and reaped.
end_client() {
	kill -KILL "$client"
	wait "$client" 2>/dev/null || :
}

# has FILE BYTES: FILE is at least that long. For wait_for.
has() { [ "$(stat -c %s "$1")" -ge "$2" ]; }

# sleeps PID: it waits in poll(2). For wait_for.
sleeps() { grep -q poll "/proc/$1/wchan" 2>/dev/null || grep -q '^7 \|^271 ' "/proc/$1/syscall"; }

# switches PID: how often it has run since it began.
switches() { awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$1/status"; }

# one_line: $stderr is one line that begins with the program's name.
one_line() { [ "$(wc -l <"$1")" = 1 ] && grep -q "^$2: " "$1"; }

# injected STRACE-OPTION... COMMAND...: with faults of strace. LeakSanitizer can't work under ptrace.
injected() { ASAN_OPTIONS=detect_leaks=0 exec strace -qq -o /dev/null "$@"; }
