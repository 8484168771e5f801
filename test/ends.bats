#!/usr/bin/env bats
# Every way in which Bazel never comes, comes twice, dies, is rejected or leaves in mid-frame, for each of the
# three sources: the chain ends by itself, with the statuses of the man pages and the right summary.

load lib

setup_file() { start_bazel; }
teardown_file() { stop_bazel; }

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# chain SOURCE COMMAND...: the pipeline that SOURCE begins, with COMMAND as its client. Prints the status of
# each program, and the summary's state and outcome; what was said is in `words`.
chain() {
	local source=$1
	shift
	rm -f e.bep q words
	{
		case $source in
		tail) timeout 60 bep-tail --grace=500ms e.bep -- "$@" | bep-reduce >summary ;;
		fifo) timeout 60 bep-fifo --grace=500ms q -- "$@" | bep-durable e.bep | bep-reduce >summary ;;
		bes) timeout 60 bes-recv --grace=500ms -- "$@" | bep-durable e.bep | bep-reduce >summary ;;
		esac
		echo "${PIPESTATUS[*]} $(jq -r '"\(.state)/\(.outcome)"' summary)"
	} 2>words
}

# row WAY WHAT-IS-SAID|'' TAIL FIFO BES: the stand-in for Bazel goes that WAY; what chain prints for each source.
row() {
	local way=$1 said=$2 source
	shift 2
	for source in tail fifo bes; do
		run chain "$source" "$TOP/test/ends/stand-in-bazel" "$way" {}
		assert_output "$1"
		shift
		[ -z "$said" ] || grep -q -e "$said" words || fail "$source, $way: nobody said '$said': $(cat words)"
	done
	assert_no_leak
}

@test "it never comes" {
	local nothing='incomplete/incomplete'
	row never 'ended without\|no build event stream came' "66 65 $nothing" "69 65 65 $nothing" "65 65 65 $nothing"
	row rejected 'Unrecognized option' "66 65 $nothing" "69 65 65 $nothing" "65 65 65 $nothing"
	row opens-only 'no events' "65 65 $nothing" "65 65 65 $nothing" "65 65 65 $nothing"
}

@test "it comes whole, stays, comes twice" {
	local whole='failed/build_failed' way
	for way in whole whole-and-stays twice; do
		row $way '' "0 0 $whole" "0 0 0 $whole" "0 0 0 $whole"
		bep-reduce --format=text e.bep | grep -q "ledger.cc:6:23"
	done
}

@test "it leaves early, dies, in the middle of a frame too: every whole frame is kept" {
	local half='incomplete/incomplete' way
	for way in cut cut-in-frame killed killed-in-frame; do
		row $way 'byte 9575' "65 65 $half" "65 65 65 $half" "65 65 65 $half"
		assert_equal "$(stat -c %s e.bep)" 9575
	done
}

# real SOURCE [FLAG...]: the real Bazel in its place, building what takes two seconds.
real() {
	local source=$1 flag=--build_event_binary_file
	shift
	[ "$source" != bes ] || flag=--bes_backend
	chain "$source" "${wrapper[@]}" bazel --output_user_root="$BAZEL_ROOT" build "$flag={}" \
		--package_path="$WORKSPACE" "$@" //slow:nap_2
}

@test "the real Bazel: rejected, killed, and whole on the same server afterwards" {
	cd "$WORKSPACE" || return
	local source wrapper
	for source in tail fifo bes; do
		wrapper=()
		run real $source --no_such_flag
		assert_output --regexp '^0( 0)+ incomplete/incomplete$' # Bazel writes a stream of two events
		run jq -r .headline summary
		assert_output --partial 'Unrecognized option: --no_such_flag'
		# The server writes on when its client is killed: either end is one.
		wrapper=(sh -c '"$@" & sleep 1; kill -KILL $!; wait $!' -)
		run real $source --action_env=A=$source
		assert_output --regexp '^(0|65)( 0| 65)+ (interrupted|incomplete)/'
		wrapper=()
		run real $source --action_env=B=$source
		assert_output --regexp '^0( 0)+ succeeded/succeeded$'
	done
	assert_no_leak
}
