#!/usr/bin/env bats
# The store as users of mcp-front meet it: disks that are full or read-only, damaged and newer databases,
# servers that share a store or are killed.
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config TMPDIR=$PWD/tmp
	mkdir -p ws tmp
	touch ws/WORKSPACE
	STORE=$PWD/state/mcp-front
	BUILD="{\"workspace\": \"$PWD/ws\", \"command\": \"build\"}"
	stand_in '{}'
}

# stand_in MORE-AS-JSON: the configuration names the stand-in, and MORE.
stand_in() {
	jq -n --arg bazel "$TOP/test/store/stand-in-bazel" --argjson more "$1" \
		'{bazel_executable: $bazel} + $more' >c.json
}

client() { "$TOP/test/store/client.py" --config c.json "$@"; }

states() { python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT state FROM invocations ORDER BY key"): print(*row)' "$STORE/store.db"; }

# in_mounts SCRIPT: in a name space of our own, where we may mount.
in_mounts() {
	need unshare
	unshare --user --map-root-user --mount true 2>/dev/null || skip "no user name spaces here"
	export -f client stand_in
	export BUILD STORE TOP BIN
	run unshare --user --map-root-user --mount bash -c "set -e; $1"
	assert_success
}

@test "a good build leaves a private record, and a throw-away server leaves nothing" {
	client </dev/null
	assert [ ! -e state ]
	run client bazel_run="$BUILD" bazel_inspect='{"view": "summary", "invocation_id": "{id}"}'
	assert_success
	assert_output --partial "state: succeeded"
	assert_equal "$(states)" 3
	# Bazel itself makes events.bep, with its own umask; the folders are closed.
	assert_equal "$(find state -perm /077 -not -name events.bep | head)" ""
	assert [ "$(find "$STORE/owners" -name '*.lock' | wc -l)" = 0 ]
	assert_equal "$(ls tmp)" ""
}

@test "a store of 1 MiB: the caller gets the result, and no record is left running" {
	in_mounts '
		mkdir -p "$STORE"
		mount -t tmpfs -o size=1m none "$STORE"
		build() { echo "{\"workspace\": \"$PWD/ws\", \"command\": \"build\", \"args\": [\"--define=print=$1\"]}"; }
		client bazel_run="$(build 100)" bazel_run="$(build 2000000)" bazel_run="$(build 100)"
		df "$STORE" | tail -1
		python3 -c "import sqlite3; print(sqlite3.connect(\"$STORE/store.db\").execute(
			\"SELECT count(*) FROM invocations WHERE state < 3\").fetchone()[0], \"are running\")"
	'
	assert_equal "$(grep -c '^state: ' <<<"$output")" 3
	assert_equal "$(head -20 <<<"$output" | grep -m1 '^state: ')" "state: succeeded"
	assert_line "0 are running"
}

@test "a store without room for anything: the result, with a warning" {
	in_mounts '
		mkdir -p "$STORE"
		mount -t tmpfs -o size=64k none "$STORE"
		head -c 60000 /dev/zero >"$STORE/something" 2>/dev/null || :
		client bazel_run="$BUILD" bazel_inspect="{\"view\": \"metrics\", \"invocation_id\": \"{id}\"}"
	'
	assert_output --partial "state: succeeded"
	assert_output --partial "this invocation is kept only until the server ends"
	assert_output --partial "view: metrics"
	assert_equal "$(ls tmp)" ""
}

@test "a read-only store: the result, with a warning" {
	client bazel_run="$BUILD" >/dev/null
	in_mounts '
		mount --bind "$STORE" "$STORE"
		mount -o remount,ro,bind "$STORE"
		client bazel_run="$BUILD" bazel_inspect="{\"view\": \"metrics\", \"invocation_id\": \"{id}\"}" \
			bazel_inspect="{\"view\": \"invocations\"}"
	'
	assert_output --partial "state: succeeded"
	assert_output --partial "this invocation is kept only until the server ends"
	assert_output --partial "view: metrics"
	# What is there can still be read.
	assert_output --partial "view: invocations"
	assert_output --partial "state,command"
	assert_equal "$(ls tmp)" ""
	assert_equal "$(states)" 3
}

@test "a database that was cut is set aside, told once, and made again" {
	client bazel_run="$BUILD" bazel_run="$BUILD" >/dev/null
	truncate -s 20000 "$STORE/store.db"
	rm -f "$STORE"/store.db-*
	run client bazel_run="$BUILD" bazel_run="$BUILD"
	assert_success
	assert_equal "$(grep -c 'was damaged; it was set aside as' <<<"$output")" 1
	assert [ -e "$STORE"/store.db.damaged-* ]
	assert_equal "$(states | tr '\n' ' ')" "3 3 3 3 "
}

@test "a database of a newer version is left alone" {
	client bazel_run="$BUILD" >/dev/null
	python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version=99")' "$STORE/store.db"
	cp "$STORE/store.db" before
	run client bazel_run="$BUILD" bazel_inspect='{"view": "metrics", "invocation_id": "{id}"}'
	assert_success
	assert_output --partial "state: succeeded"
	assert_output --partial "was written by a newer mcp-front (schema 99, this one knows 2)"
	assert_output --partial "view: metrics"
	cmp before "$STORE/store.db"
}

@test "ten servers with ten invocations each share a store" {
	stand_in '{"global_concurrency": 2}'
	local server pids=()
	for server in 0 1 2 3 4 5 6 7 8 9; do
		mkdir -p "ws$server" && touch "ws$server/WORKSPACE"
		client --parallel 10 bazel_run="{\"workspace\": \"$PWD/ws$server\", \"command\": \"build\",
			\"args\": [\"--define=say=server-$server-{n}\"]}" >"out$server" 2>"err$server" 3>&- &
		pids+=($!)
	done
	for server in "${!pids[@]}"; do
		wait "${pids[server]}"
		assert_equal "$(cat "err$server")" ""
		assert_equal "$(grep -c '^state: succeeded' "out$server")" 10
		# No cross-talk: the command line to repeat it is each one's own.
		assert_equal "$(grep -c "say=server-$server-" "out$server")" 10
	done
	assert_equal "$(states | sort | uniq -c | tr -s ' ')" " 100 3"
	assert_equal "$(find "$STORE/invocations" -name record.json | wc -l)" 100
	assert [ "$(find "$STORE/owners" -name '*.lock' | wc -l)" = 0 ]
	assert_no_leak
}

@test "records of a server that was killed become interrupted, and another server can cancel" {
	local hang="{\"workspace\": \"$PWD/ws\", \"command\": \"build\", \"args\": [\"--define=hang=1\"]}"
	client bazel_run="$hang" >out 2>&1 3>&- &
	local running=$!
	wait_for 20 sh -c "find '$STORE' -name stderr.log 2>/dev/null | grep -q ."
	local id
	id=$(basename "$(dirname "$(find "$STORE" -name stderr.log)")")
	run client bazel_cancel="{\"invocation_id\": \"$id\"}"
	assert_success
	assert_output --partial "cancellation_requested: true"
	wait_for 30 grep -q '^state: cancelled' out || fail "not cancelled: $(cat out)"
	wait "$running"
	assert_equal "$(states)" 5
	# A second one, whose server is killed.
	mcp-front --config c.json < <(sleep 600 3>&- &
		echo $! >sleeper
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
			"$(jq -nc --argjson a "$hang" '{jsonrpc: "2.0", id: 2, method: "tools/call", params: {name: "bazel_run", arguments: $a}}')"
		wait) >/dev/null 2>&1 3>&- &
	local server=$!
	wait_for 20 sh -c "[ \$(find '$STORE' -name stderr.log | wc -l) = 2 ]"
	kill -9 $server
	kill "$(cat sleeper)" || :
	run client bazel_inspect='{"view": "invocations", "state": "interrupted"}'
	assert_success
	assert_output --partial interrupted
	assert_equal "$(states | tr '\n' ' ')" "5 7 "
	assert_no_leak 5
}

@test "whoever else looks into the database takes nothing from a server that has it open" {
	PYTHONPATH=$TOP/test python3 - "$BIN/mcp-front" "$STORE/store.db" "$BUILD" <<-'END'
		import json, os, sqlite3, sys
		from mcp_client import Client
		front, path, build = sys.argv[1:]
		c = Client([front, "--config", "c.json"]); c.initialize()
		for n in (1, 2, 3):
		    assert "succeeded" in c.call("bazel_run", **json.loads(build))["content"][0]["text"]
		    assert "succeeded" in c.call("bazel_inspect", view="invocations")["content"][0]["text"]
		    other = sqlite3.connect(path)
		    assert other.execute("SELECT count(*), min(state) FROM invocations").fetchone() == (n, 3), n
		    other.close()  # as the last one, it would take the log away
		    assert os.path.exists(path + "-wal")
		assert c.close() == 0
	END
}
