#!/usr/bin/env bats
# mcp-front as Bazel's command line for agents, and what it prints for clients.

load lib

setup_file() {
	start_bazel
	jq -n --arg root "$BAZEL_ROOT" --arg cache "$BATS_FILE_TMPDIR/never" \
		'{cache_root: $cache, output_user_root: $root, isolated_bazel_server_idle_seconds: 600}' >"$BATS_FILE_TMPDIR/config.json"
	bz build //good/gen/... >"$BATS_FILE_TMPDIR/warm" 2>&1
}

teardown_file() { stop_bazel; }

setup() {
	export MCP_FRONT_CONFIG="$BATS_FILE_TMPDIR/config.json" TMPDIR="$BATS_TEST_TMPDIR"
	cd "${WORKSPACE-/}" || return
}

nothing_kept() {
	assert_equal "$(find "$BATS_TEST_TMPDIR" -name 'mcp-front-agent-*')" ''
	assert [ ! -e "$BATS_FILE_TMPDIR/never" ]
}

@test "the answer is on stdout, with Bazel's own exit status, from any folder of the workspace" {
	cd good/gen
	run --separate-stderr mcp-front passthrough build //good/gen/...
	assert_success
	assert_line 'headline: built 3 targets'
	[ -z "$stderr" ]
	run mcp-front passthrough -- build //broken/cc_compile/...
	assert_equal "$status" 1
	assert_output --partial 'broken/cc_compile/ledger.cc:6:23'
	assert_output --partial 'no-agent-mode'
	BAZEL_MCP_MODE=agent run mcp-front test //tests/mixed/...
	assert_equal "$status" 3
	nothing_kept
}

@test "under the name bazel it finds the real one, and --no-agent-mode is plain Bazel" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$BIN/mcp-front" "$BATS_TEST_TMPDIR/bin/bazel"
	export PATH="$BATS_TEST_TMPDIR/bin:$PATH"
	run bazel info workspace
	assert_success
	assert_output --partial "output: $WORKSPACE"
	run --separate-stderr bazel --no-agent-mode --output_user_root="$BAZEL_ROOT" --max_idle_secs=600 info workspace
	assert_success
	assert_output "$WORKSPACE"
}

@test "our own failures have our own statuses and leave stdout empty" {
	run --separate-stderr mcp-front passthrough run //run:ok
	assert_equal "$status" 64
	assert_output ''
	cd /
	run --separate-stderr mcp-front passthrough build //x
	assert_equal "$status" 64
	assert_output ''
	MCP_FRONT_CONFIG=/nonexistent run --separate-stderr mcp-front passthrough build //x
	assert_equal "$status" 78
	nothing_kept
}

@test "a signal cancels, the answer is still printed, nothing stays" {
	mcp-front passthrough build //slow:nap_60 >"$BATS_TEST_TMPDIR/out" &
	local pid=$!
	sleep 1.5
	kill -INT $pid
	run wait $pid
	wait_for 10 gone $pid
	run cat "$BATS_TEST_TMPDIR/out"
	assert_line 'state: cancelled'
	assert_no_leak
	nothing_kept
}

@test "--print-config gives each client valid words about this executable" {
	local client
	for client in claude-code claude-desktop cursor vscode; do
		run mcp-front --print-config "$client"
		assert_success
		assert_equal "$(grep -v '^//' <<<"$output" | jq -r '(.mcpServers // .servers).bazel.command')" "$(realpath "$BIN/mcp-front")"
	done
	run mcp-front --print-config codex
	assert_equal "$(python3 -c 'import sys, tomllib; print(tomllib.loads(sys.stdin.read())["mcp_servers"]["bazel"]["command"])' <<<"$output")" \
		"$(realpath "$BIN/mcp-front")"
	run mcp-front --print-config emacs
	assert_equal "$status" 64
}

# The rules of server.schema.json, 2025-12-11, that a server without a published package meets. A package or
# a repository is added here with its first release: nothing may be named that does not exist.
@test "server.json is what the registry wants, and names nothing that is not published" {
	run jq -e --arg version "$(mcp-front --version | awk '{print $2}')" '
		(keys - ["$schema", "description", "name", "title", "version"] == []) and
		."$schema" == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" and
		(.name | test("^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$") and length >= 3 and length <= 200) and
		(.title | length >= 1 and length <= 100) and (.description | length >= 1 and length <= 100) and
		.version == $version and (.version | length <= 255 and (test("[\\^~<>=*xX| ]") | not)) and
		([.. | strings | select(test("://"))] == [."$schema"])' "$TOP/server.json"
	assert_success
}
