#!/usr/bin/env bats
# The newcomer's first command, with the real Bazel.
load lib

@test "quickstart: three builds over MCP, the same three by hand, nothing left behind" {
	need bazel
	cd /
	export TMPDIR=$BATS_TEST_TMPDIR
	run "$TOP/scripts/quickstart"
	assert_success
	assert_line --partial '-- tools/list: '
	for part in 'mcp-front, as' 'same by hand'; do
		body=$(sed -n "/^== .*$part/,/^== Done/p" <<<"$output")
		assert_regex "$body" 'built 1 target'
		assert_regex "$body" "has no member named 'amuont'"
		assert_regex "$body" 'broken/cc_compile/ledger.cc'
		assert_regex "$body" 'AssertionError: 19 != 20'
	done
	assert_equal "$(ls -A "$TMPDIR")" ''
	assert_no_leak
}

@test "quickstart: takes no arguments" {
	run "$TOP/scripts/quickstart" --fast
	assert_equal "$status" 64
	run "$TOP/scripts/quickstart" --help
	assert_success
	assert_line 'usage: scripts/quickstart'
}
