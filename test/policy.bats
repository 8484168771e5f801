#!/usr/bin/env bats
# What mcp-front lets a caller have Bazel do. The flags are asked of the real Bazel.
load lib

setup_file() { start_bazel; }
teardown_file() { stop_bazel; }

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config
}

# ask [--config TEXT] ARGUMENTS-AS-JSON: the answer of bazel.run, in $output.
ask() {
	local options=()
	if [ "$1" = --config ]; then
		printf '%s' "$2" >c.json
		options=(--config c.json)
		shift 2
	fi
	run python3 - "$TOP/test" "$BIN/mcp-front" "$1" "${options[@]}" <<'PYTHON'
import json, sys
sys.path.insert(0, sys.argv[1])
from mcp_client import Client
client = Client([sys.argv[2]] + sys.argv[4:])
client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                              "clientInfo": {"name": "t", "version": "1"}})
answer = client.request("tools/call", {"name": "bazel_run", "arguments": json.loads(sys.argv[3])})
print(answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]["message"])
client.server.stdin.close()
client.server.wait()
PYTHON
	assert_success
}

@test "every spelling of a flag that is ours is refused, as the real Bazel takes them" {
	run python3 "$TOP/test/policy_flags.py" "$WORKSPACE" "$BAZEL_ROOT" --owned
	assert_success
}

@test "commands: denied wins, unknown ones are not allowed" {
	ask '{"workspace": "/", "command": "clean"}'
	assert_output "Bazel command is denied by policy: clean"
	ask '{"workspace": "/", "command": "frobnicate"}'
	assert_output "Bazel command is not among the allowed ones: frobnicate"
	ask --config '{"allowed_commands": ["clean"]}' '{"workspace": "/", "command": "clean"}'
	assert_output "Bazel command is denied by policy: clean"
	ask --config '{"denied_commands": []}' '{"workspace": "/", "command": "clean"}'
	assert_output "Bazel command is not among the allowed ones: clean"
}

@test "startup options cannot smuggle in another command" {
	ask '{"workspace": "/", "command": "build", "startup_args": ["--output_base"], "args": ["shutdown"]}'
	assert_output "startup_args[0]: the value is missing"
	ask '{"workspace": "/", "command": "build", "startup_args": ["--batch", "clean"]}'
	assert_output "startup_args[1]: must begin with --"
	ask '{"workspace": "/", "command": "build", "startup_args": ["--newer_option", "clean"]}'
	assert_output "startup_args[0]: an option that is not known here must be written --name=value"
	ask '{"workspace": "/", "command": "build", "startup_args": ["--"]}'
	assert_output "startup_args[0]: must begin with --"
	ask '{"workspace": "/", "command": "build", "startup_args": ["--color=no"]}'
	assert_output "--color is set by mcp-front itself"
}

@test "flags that read and write outside have one switch" {
	ask '{"workspace": "/nowhere", "command": "build", "args": ["--profile=/x"]}'
	assert_output --partial '"allow_outside_flags": true'
	ask '{"workspace": "/nowhere", "command": "build", "startup_args": ["--bazelrc=/x"]}'
	assert_output --partial '"allow_outside_flags": true'
	ask --config '{"allow_outside_flags": true}' \
		'{"workspace": "/nowhere", "command": "build", "startup_args": ["--bazelrc=/x"], "args": ["--profile", "/x"]}'
	assert_output "workspace /nowhere: No such file or directory"
	# Ours stay ours.
	ask --config '{"allow_outside_flags": true}' \
		'{"workspace": "/nowhere", "command": "build", "args": ["--build_event_binary_file=/x"]}'
	assert_output "--build_event_binary_file is set by mcp-front itself"
}

@test "what stands behind -- is a target" {
	ask '{"workspace": "/nowhere", "command": "build", "args": ["--", "--color=yes"]}'
	assert_output "workspace /nowhere: No such file or directory"
}

@test "a -- that a flag takes for its value hides no flag" {
	local args="[\"--embed_label\", \"--\", \"--profile=$PWD/evil\", \"workspace\"]"
	for command in info help version build; do
		ask "{\"workspace\": \"$WORKSPACE\", \"command\": \"$command\", \"args\": $args}"
		assert_output --partial "--profile reads or writes files"
	done
	# The real Bazel does take it so.
	bz info --embed_label -- "--profile=$PWD/evil" workspace
	assert [ -s evil ]
}

@test "the limits of arguments, at N and one more" {
	local items
	items() { python3 -c "import json; print(json.dumps({'workspace': '/nowhere', 'command': 'build', 'args': $1}))"; }
	ask "$(items '["x"] * 10000')"
	assert_output "workspace /nowhere: No such file or directory"
	ask "$(items '["x"] * 10001')"
	assert_output --partial "more than 10000"
	ask "$(items '["x" * 65536]')"
	assert_output "workspace /nowhere: No such file or directory"
	ask "$(items '["x" * 65537]')"
	assert_output "args[0]: longer than 65536 bytes"
	ask '{"workspace": "/nowhere", "command": "build", "args": ["a\u0000b"]}'
	assert_output "args[0]: holds a NUL byte"
}

@test "run: a target, flags, and a program's arguments" {
	local allowed='{"allowed_commands": ["run", "build"], "denied_commands": []}'
	ask --config "$allowed" '{"workspace": "/", "command": "run"}'
	assert_output "run needs a target"
	ask --config "$allowed" '{"workspace": "/", "command": "run", "target": "--x"}'
	assert_output "target must not begin with '-'"
	ask --config "$allowed" '{"workspace": "/", "command": "run", "target": "//x", "args": ["y"]}'
	assert_output --partial "args[0]: with run only flags"
	ask --config "$allowed" '{"workspace": "/", "command": "build", "target": "//x"}'
	assert_output "target and program_args are for the command run only"
}

@test "query results are text" {
	ask '{"workspace": "/", "command": "query", "args": ["//...", "--output", "proto"]}'
	assert_output "--output=proto is not text; jsonproto and textproto are"
	ask '{"workspace": "/", "command": "cquery", "args": ["--output=streamed_proto", "//..."]}'
	assert_output --partial "is not text"
}

@test "a workspace behind symbolic links and .. obeys the roots" {
	mkdir -p in out/ws
	touch out/ws/WORKSPACE
	ln -s ../out/ws in/link
	local roots="{\"allowed_roots\": [\"$PWD/in\"]}" path
	for path in "$PWD/in/link" "$PWD/in/../out/ws" "$PWD/out/ws" "$PWD/in/nothing" "$PWD/inside"; do
		ask --config "$roots" "{\"workspace\": \"$path\", \"command\": \"build\"}"
		assert_output "workspace does not exist or is outside every allowed root: $path"
	done
	ask --config "$roots" "{\"workspace\": \"$PWD/in\", \"command\": \"build\"}"
	assert_output --partial "not a Bazel workspace"
	ask --config "$roots" '{"workspace": "in", "command": "build"}'
	assert_output "workspace must be an absolute path: in"
}

@test "the output base obeys the roots" {
	mkdir -p in
	touch in/WORKSPACE
	ask --config "{\"allowed_roots\": [\"$PWD/in\"]}" \
		"{\"workspace\": \"$PWD/in\", \"command\": \"build\", \"startup_args\": [\"--output_base=$PWD/out\"]}"
	assert_output "--output_base: outside every allowed root"
	ask "{\"workspace\": \"$PWD/in\", \"command\": \"build\", \"startup_args\": [\"--output_base=a\", \"--output_base\", \"b\"]}"
	assert_output "--output_base may be given only once"
}

@test "a flag in --config or an rc file does not win against ours" {
	copy_workspace ws
	cat >>ws/.bazelrc <<-RC
		build --color=yes --build_event_binary_file=$PWD/theirs.bep --test_output=all
		build:evil --color=yes --build_event_binary_file=$PWD/theirs.bep --show_progress_rate_limit=60
		build:evil --invocation_id=00000000-0000-4000-8000-000000000000
	RC
	ask --config "{\"output_user_root\": \"$BAZEL_ROOT\"}" \
		"{\"workspace\": \"$PWD/ws\", \"command\": \"test\", \"args\": [\"--config=evil\", \"//good/sh/...\"]}"
	assert_output --partial "state: succeeded"
	refute_output --partial 00000000-0000-4000-8000-000000000000
	assert [ ! -e theirs.bep ]
	assert [ "$(find state -name events.bep -size +0 | wc -l)" = 1 ]
}

@test "our flags cannot be swallowed by one before them" {
	copy_workspace ws
	ask --config "{\"output_user_root\": \"$BAZEL_ROOT\"}" \
		"{\"workspace\": \"$PWD/ws\", \"command\": \"build\", \"args\": [\"//good/sh/...\", \"--define\"]}"
	# Bazel takes the first of our flags for the value of --define; the stream is captured all the same.
	assert [ "$(find state -name events.bep -size +0 | wc -l)" = 1 ]
}
