# Helpers of the bats suites. A suite in test/ begins with:
#
#	load lib
#	setup_file() { start_bazel; }        # only where the real Bazel is used
#	teardown_file() { stop_bazel; }
#
# Variables: TOP the repository, BIN its programs (first on PATH), SHARED the folder of the labelled
# recordings (may be absent: need_shared). Temporary files: $BATS_TEST_TMPDIR, $BATS_FILE_TMPDIR.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
export BATS_LIB_PATH="${BATS_LIB_PATH:+$BATS_LIB_PATH:}/usr/lib/bats"
bats_load_library bats-support
bats_load_library bats-assert

TOP=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
BIN=$(realpath -m "${BIN:-$TOP/build/bin}")
SHARED=$(realpath -m "$TOP/../shared")
# Bazel's server reads names beyond ASCII in a UTF-8 locale only.
export TOP BIN SHARED PATH="$BIN:$PATH" LC_ALL=C.UTF-8
# A mark that every process of this test inherits; leaked_processes finds it.
export TEST_MARK="$$-$RANDOM"

# ---- what may be absent

# need COMMAND...: skip the test where one of them is not installed.
need() {
	local name
	for name; do
		command -v "$name" >/dev/null || skip "$name is not installed"
	done
}

# need_shared [PATH]: skip without the labelled recordings, which are not part of the repository.
need_shared() {
	[ -e "$SHARED/corpus/${1-}" ] || skip "../shared/corpus/${1-} is not here"
}

# ---- the real Bazel

# start_bazel: a copy of the sample workspace and an output root for this suite alone. Exports
# WORKSPACE and BAZEL_ROOT. The server starts with the first `bz`. For setup_file.
start_bazel() {
	command -v bazel >/dev/null || skip "bazel is not installed"
	export WORKSPACE="$BATS_FILE_TMPDIR/ws" BAZEL_ROOT="$BATS_FILE_TMPDIR/bz"
	copy_workspace "$WORKSPACE"
}

# copy_workspace DIR: another copy, for a test that edits it.
copy_workspace() {
	mkdir -p "$1"
	(cd "$TOP/test/workspace" && tar -c --exclude='./bazel-*' .) | tar -x -C "$1"
}

# bz ARGUMENT...: Bazel in $WORKSPACE with $BAZEL_ROOT.
bz() { (exec_bz "$@"); }

# exec_bz ARGUMENT...: the same in place of this shell, so that `exec_bz build … & pid=$!` gives the
# pid of Bazel's client.
exec_bz() {
	cd "$WORKSPACE" && exec bazel --output_user_root="$BAZEL_ROOT" --max_idle_secs=600 "$@"
}

# stop_bazel: ends the servers of this suite and lets bats remove the files. For teardown_file.
stop_bazel() {
	local pid_file
	[ -n "${BAZEL_ROOT-}" ] || return 0
	for pid_file in "$BAZEL_ROOT"/*/server/server.pid.txt; do
		[ -e "$pid_file" ] && kill "$(cat "$pid_file")" 2>/dev/null
	done
	chmod -R u+w "$BAZEL_ROOT" 2>/dev/null || :
}

# ---- processes
#
# Say `wait PID`, never a bare `wait`: the time limit of bats is a child of the test, too.

# wait_for SECONDS COMMAND...: until COMMAND succeeds; 1 after SECONDS (whole).
wait_for() {
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@" 2>/dev/null; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# gone PID: no such process, or a zombie. For wait_for.
gone() {
	local state
	state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) || return 0
	[ -z "$state" ] || [ "$state" = Z ]
}

# leaked_processes: "PID COMMAND LINE" of each process that this test has started and that still
# lives; not bats itself, its time limit included, nor a Bazel server, which ends with stop_bazel.
leaked_processes() {
	local dir line
	for dir in /proc/[0-9]*; do
		[ "${dir#/proc/}" != "$BASHPID" ] || continue
		{ tr '\0' '\n' <"$dir/environ" | grep -qxF "TEST_MARK=$TEST_MARK"; } 2>/dev/null || continue
		line=$({ tr '\0' ' ' <"$dir/cmdline"; } 2>/dev/null)
		case $line in
		'' | "sleep ${BATS_TEST_TIMEOUT-} " | *bats-exec-* | *bats-format* | *A-server.jar* | *'bazel('*) ;;
		*) printf '%s %s\n' "${dir#/proc/}" "${line% }" ;;
		esac
	done
}

no_process_left() { [ -z "$(leaked_processes)" ]; }

# assert_no_leak [SECONDS]: none is left after SECONDS (2).
assert_no_leak() {
	wait_for "${1:-2}" no_process_left || fail "still alive: $(leaked_processes)"
}

# ---- frames

# hex "0a 03 41 42 43": these bytes. Blanks and newlines between digits are free.
hex() {
	local digits
	digits=$(printf '%s' "$*" | tr -d ' \n\t')
	# shellcheck disable=SC2059 # the format is the data
	printf "$(printf '%s' "$digits" | sed 's/../\\x&/g')"
}

# varint N: N as a base-128 varint, in hex.
varint() {
	local n=$1
	while [ "$n" -ge 128 ]; do
		printf '%02x' $((n & 127 | 128))
		n=$((n >> 7))
	done
	printf '%02x' "$n"
}

# frame HEX: one frame of these bytes.
frame() {
	local digits
	digits=$(printf '%s' "$*" | tr -d ' \n\t')
	hex "$(varint $((${#digits} / 2)))$digits"
}

# event TEXT: one frame with the BuildEvent that TEXT says in protobuf's text format, for example
# event 'id{started{}} started{uuid:"u" command:"build"}'; event 'id{progress{}} last_message:true'
event() {
	local file
	file=$(mktemp "$BATS_TEST_TMPDIR/event.XXXXXX")
	printf '%s' "$1" | protoc --proto_path="$TOP" --encode=build_event_stream.BuildEvent \
		"$TOP/proto/build_event_stream.proto" >"$file" || return
	hex "$(varint "$(stat -c %s "$file")")"
	cat "$file"
	rm -f "$file"
}
