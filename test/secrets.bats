#!/usr/bin/env bats
# Secrets that are planted in every place that can carry text come out of mcp-front nowhere, whole or in part.
load lib

setup_file() { start_bazel; }
teardown_file() { stop_bazel; }

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_CONFIG_HOME=$PWD/config TMPDIR=$PWD/tmp
	mkdir tmp
}

check() {
	run "$TOP/test/secrets/check.py" "$@"
	assert_success
	assert_output --partial ", 0 leaks"
}

@test "every text field of every event, the console, arguments" {
	check fields
}

@test "without patterns of the user's own" {
	check fields '{"redaction_patterns": null}'
}

@test "texts that are cut at every limit in the middle of a secret" {
	check dense
}

@test "the end of what a program prints" {
	check program '{"allowed_commands": ["run", "info"], "denied_commands": []}'
}

@test "cursors into the middle of a line" {
	check forged
}

@test "what is told while Bazel runs, and of what is cancelled" {
	check running
}

@test "what the caller itself said wrongly" {
	check words
}

@test "what the real Bazel makes of them: rules, compilers, tests, rc files, workspace status" {
	copy_workspace ws
	check real "{\"bazel_executable\": null, \"output_user_root\": \"$BAZEL_ROOT\", \"denied_commands\": [],
		\"allowed_commands\": [\"build\", \"test\", \"run\", \"query\"],
		\"environment_allowlist\": [\"API_TOKEN\"]}"
}
