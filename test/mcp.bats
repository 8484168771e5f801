#!/usr/bin/env bats
# mcp-front on the wire: JSON-RPC in every revision, bazel.run with the real Bazel on the three capture
# paths, waiting, cancelling, tasks, and the ways in which a server ends.

load lib

setup_file() {
	start_bazel
	write_config tail
	write_config fifo
	write_config bes
	bz build //good/gen/... >"$BATS_FILE_TMPDIR/warm" 2>&1
}

teardown_file() { stop_bazel; }

# write_config TRANSPORT: a configuration of this suite, in $BATS_FILE_TMPDIR/TRANSPORT.json.
write_config() {
	jq -n --arg cache "$BATS_FILE_TMPDIR/store" --arg root "$BAZEL_ROOT" --arg transport "$1" \
		'{cache_root: $cache, output_user_root: $root, isolated_bazel_server_idle_seconds: 600, bep_transport: $transport,
		  cancellation_interrupt_grace_seconds: 5, cancellation_terminate_grace_seconds: 1}' \
		>"$BATS_FILE_TMPDIR/$1.json"
}

# exchange LINE...: what a server without a configuration of its own answers to these lines, in order.
exchange() {
	printf '%s\n' "$@" | HOME=$BATS_TEST_TMPDIR XDG_CONFIG_HOME='' MCP_FRONT_CONFIG='' mcp-front
}

# with_client TRANSPORT: runs the Python on stdin with `c`, a client that has said hello, `text` and `run`.
with_client() {
	cat >"$BATS_TEST_TMPDIR/session.py"
	SESSION_CONFIG="$BATS_FILE_TMPDIR/$1.json" PYTHONPATH="$TOP/test" timeout 120 python3 - <<-'END'
		import json, os, re, signal, sys, time
		from mcp_client import Client, text_of
		argv = ["mcp-front", "--config", os.environ["SESSION_CONFIG"]]
		c = Client(argv)
		c.initialize()
		def start(command, *args, **more):
		    meta = more.pop("_meta", None)
		    params = {"name": "bazel_run", "arguments": dict(
		        workspace=os.environ["WORKSPACE"], command=command, args=list(args), **more)}
		    return c.start("tools/call", params | ({"_meta": meta} if meta else {}))
		def run(command, *args, **more):
		    return text_of(c.wait(start(command, *args, **more))["result"])
		def field(text, name):
		    found = re.search(r"^ *" + name + r': "?(.*?)"?$', text, re.M)
		    return found.group(1) if found else None
		exec(open(os.environ["BATS_TEST_TMPDIR"] + "/session.py").read())
		if c.server.poll() is None:
		    assert c.close() == 0
	END
}

hello() {
	printf '{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' "$1" "$2"
}

# The envelope of a stateless request.
MODERN='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# ---- the protocol

@test "initialize echoes the versions that it knows and offers its newest to others" {
	for version in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
		run exchange "$(hello 0 $version)"
		assert_equal "$(jq -r .result.protocolVersion <<<"$output")" $version
		assert_equal "$(jq -c .id <<<"$output")" 0
	done
	for version in 2026-07-28 2031-01-01 nonsense; do
		run exchange "$(hello '"a"' $version)"
		assert_equal "$(jq -r .result.protocolVersion <<<"$output")" 2025-11-25
		assert_equal "$(jq -c .id <<<"$output")" '"a"'
	done
	run exchange '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
	assert_equal "$(jq .error.code <<<"$output")" -32602
}

@test "every kind of broken message has its code, and the next one is answered" {
	local ping='{"jsonrpc":"2.0","id":"next","method":"ping"}' line code
	while read -r code line; do
		run exchange "$line" "$ping"
		assert_equal "$line: $(jq -s '.[0].error.code' <<<"$output")" "$line: $code"
		assert_equal "$(jq -cs '.[1] | [.id, .result]' <<<"$output")" '["next",{}]'
	done <<-'END'
		-32700 {"jsonrpc":"2.0","id":1,
		-32700 nonsense
		-32700 {"jsonrpc":"2.0","id":1,"method":"ping"} {}
		-32600 {}
		-32600 7
		-32600 "ping"
		-32600 [{"jsonrpc":"2.0","id":1,"method":"ping"}]
		-32600 {"jsonrpc":"1.0","id":1,"method":"ping"}
		-32600 {"jsonrpc":"2.0","id":null,"method":"ping"}
		-32600 {"jsonrpc":"2.0","id":1.5,"method":"ping"}
		-32600 {"jsonrpc":"2.0","id":{},"method":"ping"}
		-32600 {"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}
		-32600 {"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}
		-32600 {"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}
		-32600 {"jsonrpc":"2.0","id":1,"method":7}
		-32602 {"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}
		-32602 {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}
		-32602 {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bazel_run","arguments":[]}}
		-32602 {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}
		-32601 {"jsonrpc":"2.0","id":1,"method":"resources/list"}
		-32601 {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}
		-32601 {"jsonrpc":"2.0","id":1,"method":"server/discover"}
	END
}

@test "invalid UTF-8, depth and length have bounds" {
	local deep ok
	deep=$(printf '[%.0s' {1..62})$(printf ']%.0s' {1..62})
	ok='{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":'$deep'}}'
	run exchange "$ok"
	assert_equal "$(jq -c .result <<<"$output")" '{}'
	run exchange "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":[$deep]}}"
	assert_equal "$(jq -s '.[0].error.code' <<<"$output")" -32600
	run exchange $'{"jsonrpc":"2.0","id":"\xff","method":"ping"}'
	assert_equal "$(jq -s '.[0].error.code' <<<"$output")" -32700
	{
		head -c 4194000 /dev/zero | tr '\0' ' '
		echo '{"jsonrpc":"2.0","id":"long","method":"ping"}'
		head -c 4194305 /dev/zero | tr '\0' x
		echo
		echo '{"jsonrpc":"2.0","id":"after","method":"ping"}'
	} >"$BATS_TEST_TMPDIR/lines"
	run mcp-front <"$BATS_TEST_TMPDIR/lines"
	assert_equal "$(jq -cs 'map(.error.code // .id)' <<<"$output")" '["long",-32700,"after"]'
}

@test "frames may end in CR LF, begin with a BOM, be empty, or lack the last newline" {
	run mcp-front < <(printf '\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\r\n\n  \n{"jsonrpc":"2.0","id":2,"method":"ping"}')
	assert_success
	assert_equal "$(jq -cs 'map(.id)' <<<"$output")" '[1,2]'
}

@test "what nobody asked is not answered" {
	run exchange '{"jsonrpc":"2.0","method":"notifications/none"}' '{"jsonrpc":"2.0","method":"ping"}' \
		'{"jsonrpc":"2.0","id":9,"result":{}}' '{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":""}}' \
		'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}'
	assert_success
	assert_output ''
}

@test "batches exist in 2025-03-26 only" {
	local batch='[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},7,{"jsonrpc":"2.0","id":2,"method":"none"}]'
	run exchange "$(hello 0 2025-03-26)" "$batch" '[]' '[{"jsonrpc":"2.0","method":"notifications/x"}]'
	assert_equal "$(jq -cs '.[1] | map([.id, .result, .error.code])' <<<"$output")" '[[1,{},null],[null,null,-32600],[2,null,-32601]]'
	assert_equal "$(jq -cs '.[2].error.code, length' <<<"$output")" "-32600
3"
	run exchange "$(hello 0 2025-06-18)" "$batch"
	assert_equal "$(jq -cs '.[1] | [.id, .error.code]' <<<"$output")" '[null,-32600]'
}

@test "the stateless era stands beside the other in one process" {
	run exchange '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{'"$MODERN"'}}' "$(hello 2 2025-11-25)" \
		'{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{'"$MODERN"'}}' '{"jsonrpc":"2.0","id":4,"method":"ping"}' \
		'{"jsonrpc":"2.0","id":5,"method":"ping","params":{'"$MODERN"'}}' \
		'{"jsonrpc":"2.0","id":6,"method":"initialize","params":{'"$MODERN"'}}'
	assert_equal "$(jq -cs '.[0].result | [.resultType, .supportedVersions, .cacheScope, (.ttlMs | type), .capabilities.tools, .capabilities.tasks]' <<<"$output")" \
		'["complete",["2026-07-28"],"public","number",{},null]'
	assert_equal "$(jq -cs '.[0].result._meta["io.modelcontextprotocol/serverInfo"].name' <<<"$output")" '"mcp-front"'
	assert_equal "$(jq -cs '.[1].result.protocolVersion' <<<"$output")" '"2025-11-25"'
	assert_equal "$(jq -cs '.[2].result | [.resultType, .cacheScope, (.tools[0] | has("execution"))]' <<<"$output")" '["complete","public",false]'
	assert_equal "$(jq -cs 'map(.error.code)' <<<"$output")" '[null,null,null,null,-32601,-32601]'
}

@test "an envelope is checked in the protocol's order" {
	local version='"io.modelcontextprotocol/protocolVersion"' capabilities='"io.modelcontextprotocol/clientCapabilities":{}'
	run exchange '{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{'"$version"':"2026-07-28"}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"x","params":{"_meta":{'"$version"':7,'"$capabilities"'}}}' \
		'{"jsonrpc":"2.0","id":3,"method":"x","params":{"_meta":{'"$version"':"2025-11-25",'"$capabilities"'}}}' \
		'{"jsonrpc":"2.0","id":4,"method":"x","params":{"_meta":{'"$version"':"2026-07-28",'"$capabilities"',"io.modelcontextprotocol/logLevel":"loud"}}}' \
		'{"jsonrpc":"2.0","id":5,"method":"x","params":{"_meta":{'"$version"':"2026-07-28",'"$capabilities"'}}}'
	assert_equal "$(jq -cs 'map(.error.code)' <<<"$output")" '[-32602,-32602,-32022,-32602,-32601]'
	assert_equal "$(jq -cs '.[2].error.data' <<<"$output")" '{"supported":["2026-07-28"],"requested":"2025-11-25"}'
}

@test "tools/list is small, valid and fixed" {
	local list='{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	run exchange "$(hello 0 2025-11-25)" "$list" "$list"
	assert_equal "$(jq -cs '.[1].result == .[2].result' <<<"$output")" true
	assert_equal "$(jq -cs '.[1].result.tools | map(.name)' <<<"$output")" '["bazel_run","bazel_inspect","bazel_cancel"]'
	assert_equal "$(jq -cs '.[1].result.tools | map([.inputSchema.type, .annotations.readOnlyHint, (.description | length > 0)])' <<<"$output")" \
		'[["object",false,true],["object",true,true],["object",false,true]]'
	assert_equal "$(jq -cs '.[1].result.tools[0] | .execution, .inputSchema.required' <<<"$output")" '{"taskSupport":"optional"}
["workspace","command"]'
	[ "$(jq -cs '.[1]' <<<"$output" | wc -c)" -le 6144 ]
	run exchange "$(hello 0 2024-11-05)" "$list"
	assert_equal "$(jq -cs '.[1].result.tools[0] | keys' <<<"$output")" '["description","inputSchema","name"]'
}

@test "bad arguments are results that say what is wrong" {
	local line wanted
	while IFS='|' read -r line wanted; do
		run exchange '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bazel.run","arguments":'"$line"'}}'
		assert_equal "$(jq -r '.result.isError' <<<"$output")" true
		assert_equal "$(jq -r '.result.content[0].text' <<<"$output")" "$wanted"
	done <<-'END'
		{}|workspace is required
		{"workspace":"/","command":"build","what":1}|unknown parameter 'what'
		{"workspace":"/","command":"build","args":"x"}|args must be an array of strings
		{"workspace":"/","command":"build","args":["x",1]}|args[1] must be a string
		{"workspace":"/","command":"build","timeout_seconds":0}|timeout_seconds must be an integer from 1 to 2592000
		{"workspace":"/","command":"clean"}|Bazel command is denied by policy: clean
	END
}

@test "a start leaves no trace, and stdout takes nothing but messages" {
	mkdir "$BATS_TEST_TMPDIR/home"
	HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME='' XDG_CONFIG_HOME='' run --separate-stderr mcp-front <<<"$(hello 0 2025-11-25)"
	assert_success
	[ -z "$stderr" ]
	assert_equal "$(find "$BATS_TEST_TMPDIR/home" -mindepth 1)" ''
}

# ---- Bazel

@test "a build, a compile error and a failing test are told in few bytes, on each capture path" {
	local transport
	for transport in tail fifo bes; do
		with_client $transport <<-'END'
			t = run("build", "//good/gen/...")
			assert field(t, "state") == "succeeded" and field(t, "exit_code") == "0", t
			assert field(t, "headline") == "built 3 targets", t
			assert field(t, "transport") == re.sub(r".*/|\.json", "", os.environ["SESSION_CONFIG"]), t
			assert len(t.encode()) <= 300, t
			t = run("build", "//broken/cc_compile/...")
			assert field(t, "outcome") == "build_failed" and field(t, "exit_code") == "1", t
			assert "broken/cc_compile/ledger.cc:6:23" in t and "no member named 'amuont'" in t, t
			assert '"//broken/cc_compile:ledger"' in t and "fallback" not in t, t
			assert len(t.encode()) <= 1200, t
			t = run("test", "//tests/mixed/...")
			assert field(t, "outcome") == "tests_failed" and field(t, "exit_code") == "3", t
			assert "disk sdb1 is read-only" in t and "backup is 3 days old" in t, t
			assert field(t, "passed") == "1" and field(t, "failed") == "2", t
			assert len(t.encode()) <= 1200, t
		END
	done
}

@test "queries, info and a refused command line need no events" {
	with_client tail <<-'END'
		t = run("query", "//good/gen/...")
		assert field(t, "query_result_count") == "3" and "capture" not in t, t
		t = run("info", "workspace")
		assert os.environ["WORKSPACE"] in t, t
		t = run("build", "--nosuchflag", "//good/gen/...")
		assert field(t, "outcome") == "command_line_error" and "nosuchflag" in t, t
	END
}

@test "our flags win over the caller's configuration and the line's end" {
	cat >"$WORKSPACE/user.bazelrc" <<-'END'
		build:loud --color=yes --build_event_binary_file=/tmp/not-this-one --invocation_id=00000000-0000-0000-0000-000000000000
	END
	grep -q user.bazelrc "$WORKSPACE/.bazelrc" || echo 'try-import %workspace%/user.bazelrc' >>"$WORKSPACE/.bazelrc"
	with_client tail <<-'END'
		t = run("build", "--config=loud", "--", "//good/gen/...")
		assert field(t, "headline") == "built 3 targets" and "complete" not in t, t
		ident = field(t, "invocation_id")
		t = text_of(c.call("bazel_inspect", view="summary", invocation_id=ident))
		assert t.count(ident) >= 2, t
	END
	assert [ ! -e /tmp/not-this-one ]
}

@test "other requests are answered while Bazel runs, and progress rises" {
	with_client tail <<-'END'
		i = start("build", "//slow:nap_2", "--action_env=A=%d" % time.time_ns(), _meta={"progressToken": 0})
		time.sleep(1)
		for _ in range(20):
		    before = time.monotonic()
		    assert c.request("ping")["result"] == {}
		    assert time.monotonic() - before < 0.1
		t = text_of(c.wait(i)["result"])
		assert field(t, "state") == "succeeded", t
		news = [m["params"] for m in c.others]
		assert len(news) >= 2 and all(m["progressToken"] == 0 for m in news), news
		assert all(a["progress"] < b["progress"] for a, b in zip(news, news[1:])), news
	END
}

@test "a cancelled request gets no answer, and Bazel stops" {
	with_client tail <<-'END'
		i = start("build", "//slow:nap_60", "--action_env=A=%d" % time.time_ns())
		time.sleep(1.5)
		c.notify("notifications/cancelled", {"requestId": i})
		for _ in range(100):
		    t = text_of(c.call("bazel_inspect", view="invocations", limit=1))
		    if "cancelled" in t: break
		    time.sleep(0.1)
		assert "cancelled" in t, t
		assert i not in c.answers
	END
	assert_no_leak
}

@test "wait_seconds answers early, the same call joins, bazel.cancel ends it" {
	with_client tail <<-'END'
		stamp = "--action_env=A=%d" % time.time_ns()
		t = run("build", "//slow:nap_60", stamp, wait_seconds=1)
		assert field(t, "state") == "running", t
		ident = field(t, "invocation_id")
		i = start("build", "//slow:nap_60", stamp, wait_seconds=60)
		t = text_of(c.call("bazel_cancel", invocation_id=ident.upper(), reason="enough"))
		assert field(t, "cancellation_requested") == "true" and field(t, "prior_state") == "running", t
		t = text_of(c.wait(i)["result"])
		assert t.startswith("joined: true\n") and field(t, "started_at"), t
		assert field(t, "invocation_id") == ident and field(t, "state") == "cancelled", t
		assert field(t, "reason") == "enough" and "diagnostics" not in t, t
		t = text_of(c.call("bazel_cancel", invocation_id=ident))
		assert field(t, "cancellation_requested") == "false" and field(t, "current_state") == "cancelled", t
		assert c.call("bazel_cancel", invocation_id="nonsense")["isError"]
		assert c.call("bazel_cancel", invocation_id="00000000-0000-7000-8000-000000000000")["isError"]
		t = run("build", "//good/gen/...")
		assert field(t, "state") == "succeeded", t
	END
	assert_no_leak
}

@test "a long action that is interrupted: cancelled, exit 8, and the same Bazel server builds at once" {
	with_client tail <<-'END'
		def server():
		    return field(run("info", "server_pid"), "output")
		before = server()
		i = start("build", "//slow:nap_60", "--action_env=A=%d" % time.time_ns())
		time.sleep(1.5)
		ident = re.search(r"[0-9a-f-]{36}", text_of(c.call("bazel_inspect", view="invocations", limit=1))).group()
		c.call("bazel_cancel", invocation_id=ident)
		t = text_of(c.wait(i)["result"])
		assert field(t, "state") == "cancelled" and field(t, "exit_code") == "8", t
		t = run("build", "//good/gen/...", timeout_seconds=20)
		assert field(t, "state") == "succeeded", t
		after = server()
		assert after == before and after.isdigit(), (before, after)
	END
	assert_no_leak
}

@test "an output base that another server has: who and since when is told, and a cancel is at once" {
	with_client tail <<-'END'
		other = Client(argv); other.initialize()
		i = start("build", "//slow:nap_5", "--action_env=A=%d" % time.time_ns())
		time.sleep(1)
		call = dict(workspace=os.environ["WORKSPACE"], command="build", args=["//good/gen/..."])
		t = text_of(other.call("bazel_run", wait_seconds=1, **call))
		assert field(t, "state") == "queued", t
		assert re.search(r"waiting for the output base, held by process %d for \d+ s" % c.server.pid, t), t
		j = other.start("tools/call", {"name": "bazel_run", "arguments": call})
		other.call("bazel_cancel", invocation_id=field(t, "invocation_id"))
		t = text_of(other.wait(j)["result"])
		assert field(t, "state") == "cancelled" and "before Bazel was started" in t, t
		assert i not in c.answers and "state: running" in text_of(c.call("bazel_inspect", view="invocations")), t
		assert other.close() == 0
		t = text_of(c.wait(i)["result"])
		assert field(t, "state") == "succeeded", t
	END
	assert_no_leak
}

@test "Bazel's own lock, held from a shell: the wait is told with its owner, then the build goes on" {
	bz build //slow:nap_5 --action_env=A=shell 2>/dev/null 3>&- &
	local shell=$!
	sleep 1.5
	with_client tail <<-'END'
		t = run("build", "//good/gen/...", wait_seconds=2)
		assert field(t, "state") == "running", t
		assert re.search(r"waiting for another Bazel command on this output base, process \d+", t), t
		t = run("build", "//good/gen/...", wait_seconds=60)
		assert field(t, "state") == "succeeded", t
	END
	wait $shell
	assert_no_leak
}

@test "another server that shares the store can cancel" {
	with_client tail <<-'END'
		t = run("build", "//slow:nap_60", "--action_env=A=%d" % time.time_ns(), wait_seconds=1)
		ident = field(t, "invocation_id")
		other = Client(argv); other.initialize()
		t = text_of(other.call("bazel_cancel", invocation_id=ident, reason="from afar"))
		assert field(t, "cancellation_requested") == "true", t
		for _ in range(100):
		    t = text_of(other.call("bazel_inspect", view="invocations", limit=1))
		    if "cancelled" in t: break
		    time.sleep(0.1)
		assert "cancelled" in t, t
		assert other.close() == 0
	END
}

@test "a timeout says what timed out" {
	with_client tail <<-'END'
		t = run("build", "//slow:nap_60", "--action_env=A=%d" % time.time_ns(), timeout_seconds=2)
		assert field(t, "state") == "timed_out" and "2 s (timeout_seconds)" in t, t
	END
	assert_no_leak
}

@test "rerun_failed runs what failed and nothing else" {
	with_client tail <<-'END'
		ident = field(run("test", "//tests/mixed/..."), "invocation_id")
		t = run("test", rerun_failed=ident)
		assert field(t, "requested") == "2" and field(t, "failed") == "2", t
		assert not field(t, "passed"), t
		ident = field(run("build", "//good/gen/..."), "invocation_id")
		t = run("test", rerun_failed=ident)
		assert t.startswith("nothing to repeat"), t
		secret = "--test_env=API_TOKEN=hunter2hunter2"
		ident = field(run("test", secret, "//tests/mixed/..."), "invocation_id")
		t = run("test", rerun_failed=ident)
		assert t == "a flag of that invocation had a secret, which is not kept: give args again", t
		t = run("test", secret, rerun_failed=ident)
		assert field(t, "requested") == "2" and "hunter2" not in t, t
	END
}

# again_package: //again with a Python test that reports cases and takes a filter as absl.testing does (a
# stand-in for it), and a shell test that fails.
again_package() {
	mkdir -p "$WORKSPACE/again"
	cat >"$WORKSPACE/again/BUILD" <<-'END'
		py_test(name = "cases_test", srcs = ["cases_test.py"])
		sh_test(name = "sh_test", srcs = ["sh_test.sh"])
	END
	printf '#!/bin/sh\nexit 1\n' >"$WORKSPACE/again/sh_test.sh"
	chmod +x "$WORKSPACE/again/sh_test.sh"
	cat >"$WORKSPACE/again/cases_test.py" <<-'END'
		import os, sys
		wanted = os.environ.get("TESTBRIDGE_TEST_ONLY", "Cart.test_a Cart.test_b Cart.test_c").split()
		print("cases run:", *wanted)
		with open(os.environ["XML_OUTPUT_FILE"], "w") as out:
		    out.write('<testsuites><testsuite name="Cart">')
		    for name in wanted:
		        failure = "" if name == "Cart.test_a" else '<failure message="no %s"/>' % name
		        out.write('<testcase classname="__main__.Cart" name="%s">%s</testcase>' % (name[5:], failure))
		    out.write("</testsuite></testsuites>")
		sys.exit(wanted != ["Cart.test_a"])
	END
}

@test "rerun_failed runs the failed cases alone where every failed test can take it" {
	again_package
	with_client tail <<-'END'
		ident = field(run("test", "//again:cases_test"), "invocation_id")
		t = run("test", rerun_failed=ident)
		assert "--test_filter=Cart.test_b Cart.test_c" in t, t
		t = text_of(c.call("bazel_inspect", view="test_log", invocation_id=field(t, "invocation_id"), filter="//again:cases_test"))
		assert "cases run: Cart.test_b Cart.test_c" in t, t
		ident = field(run("test", "-k", "//again/..."), "invocation_id")
		t = run("test", rerun_failed=ident)
		assert "test_filter" not in t and field(t, "failed") == "2", t
	END
}

@test "rerun_failed leaves out what no longer exists, and says so" {
	again_package
	with_client tail <<-'END'
		ident = field(run("test", "-k", "//again/..."), "invocation_id")
		build = os.environ["WORKSPACE"] + "/again/BUILD"
		with open(build, "w") as out: out.write('sh_test(name = "sh_test", srcs = ["sh_test.sh"])')
		t = run("test", rerun_failed=ident)
		assert field(t, "note") == "no longer there: //again:cases_test", t
		assert field(t, "failed") == "1" and field(t, "outcome") == "tests_failed" and "no such target" not in t, t
		os.remove(build)
		t = run("test", rerun_failed=ident)
		assert t == "nothing to repeat: what failed no longer exists", t
	END
}

@test "a running invocation can be inspected" {
	with_client tail <<-'END'
		t = run("build", "-k", "//slow:nap_5", "//broken/cc_compile:ledger", "--action_env=A=%d" % time.time_ns(), wait_seconds=3)
		assert field(t, "state") == "running", t
		t = text_of(c.call("bazel_inspect", view="diagnostics", invocation_id=field(t, "invocation_id")))
		assert "broken/cc_compile/ledger.cc:6:23" in t, t
	END
}

@test "run, where the policy allows it, tells what the program said and how it ended" {
	jq '. + {allowed_commands: ["run"], denied_commands: []}' "$BATS_FILE_TMPDIR/tail.json" >"$BATS_FILE_TMPDIR/run.json"
	with_client run <<-'END'
		t = run("run", target="//run:ok", program_args=["a", "b c"])
		assert field(t, "state") == "succeeded" and "ran with: a b c" in t and "b c'" not in t, t
		t = run("run", target="//run:fails")
		assert field(t, "outcome") == "program_failed" and field(t, "exit_code") == "3", t
		assert field(t, "output_excerpt") == "no such account: 4711", t
		t = run("run", target="//broken/cc_compile:ledger")
		assert field(t, "state") == "failed" and "output_excerpt" not in t, t
		assert "needs a target" in run("run"), t
	END
}

# ---- tasks

@test "tasks of 2025-11-25 give the result of the call, also to the next server" {
	with_client tail <<-'END'
		params = {"name": "bazel_run", "arguments": {"workspace": os.environ["WORKSPACE"], "command": "build",
		          "args": ["//broken/cc_compile/..."]}, "task": {"ttl": 60000}}
		made = c.request("tools/call", params)["result"]
		task = made["task"]
		assert task["status"] == "working" and task["ttl"] == 60000, made
		r = c.request("tasks/result", {"taskId": task["taskId"]})["result"]
		assert r["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": task["taskId"]}, r
		assert "ledger.cc:6:23" in text_of(r), r
		got = c.request("tasks/get", {"taskId": task["taskId"]})["result"]
		assert got["status"] == "completed" and "amuont" in got["statusMessage"] and got["ttl"] >= 60000, got
		assert c.request("tasks/cancel", {"taskId": task["taskId"]})["error"]["code"] == -32602
		assert c.request("tasks/get", {"taskId": "none"})["error"]["code"] == -32602
		assert c.request("tasks/update", {"taskId": task["taskId"]})["error"]["code"] == -32601
		assert c.close() == 0
		c = Client(argv); c.initialize()
		r = c.request("tasks/result", {"taskId": task["taskId"]})["result"]
		assert "ledger.cc:6:23" in text_of(r), r
		assert task["taskId"] in [t["taskId"] for t in c.request("tasks/list")["result"]["tasks"]]
	END
}

@test "a cancelled task is cancelled at once, and a cancelled wait for one does not matter" {
	with_client tail <<-'END'
		params = {"name": "bazel_run", "arguments": {"workspace": os.environ["WORKSPACE"], "command": "build",
		          "args": ["//slow:nap_60", "--action_env=A=%d" % time.time_ns()]}, "task": {}}
		ident = c.request("tools/call", params)["result"]["task"]["taskId"]
		i = c.start("tasks/result", {"taskId": ident})
		time.sleep(1)
		c.notify("notifications/cancelled", {"requestId": i})
		time.sleep(0.5)
		assert c.request("tasks/get", {"taskId": ident})["result"]["status"] == "working"
		got = c.request("tasks/cancel", {"taskId": ident})["result"]
		assert got["status"] == "cancelled" and got["taskId"] == ident, got
		r = c.request("tasks/result", {"taskId": ident})["result"]
		assert field(text_of(r), "state") == "cancelled", r
		assert c.request("tasks/get", {"taskId": ident})["result"]["status"] == "cancelled"
	END
	assert_no_leak
}

@test "tasks of the extension need the client's word in each request" {
	with_client tail <<-'END'
		P = "io.modelcontextprotocol/"
		def meta(tasks):
		    return {P + "protocolVersion": "2026-07-28",
		            P + "clientCapabilities": {"extensions": {P + "tasks": {}}} if tasks else {}}
		call = {"name": "bazel_run", "arguments": {"workspace": os.environ["WORKSPACE"], "command": "build",
		        "args": ["//broken/cc_compile/..."]}}
		made = c.request("tools/call", call | {"_meta": meta(True)})["result"]
		assert made["resultType"] == "task" and made["status"] == "working", made
		ident = made["taskId"]
		for _ in range(200):
		    got = c.request("tasks/get", {"taskId": ident, "_meta": meta(True)})["result"]
		    if got["status"] != "working": break
		    time.sleep(0.1)
		assert got["resultType"] == "complete" and got["status"] == "completed", got
		assert "ledger.cc:6:23" in text_of(got["result"]), got
		e = c.request("tasks/get", {"taskId": ident, "_meta": meta(False)})["error"]
		assert e["code"] == -32021 and P + "tasks" in e["data"]["requiredCapabilities"]["extensions"], e
		assert c.request("tasks/cancel", {"taskId": ident, "_meta": meta(True)})["result"]["resultType"] == "complete"
		assert c.request("tasks/list", {"_meta": meta(True)})["error"]["code"] == -32601
		assert c.request("tasks/get", {"taskId": ident})["error"]["code"] == -32602
		r = c.request("tools/call", call | {"_meta": meta(False)})["result"]
		assert r["resultType"] == "complete" and "ledger.cc:6:23" in text_of(r), r
	END
}

# ---- the end

@test "end of input and each signal stop Bazel politely and leave nothing" {
	local how
	for how in EOF SIGTERM SIGINT SIGHUP SIGKILL; do
		HOW=$how with_client tail <<-'END'
			i = start("build", "//slow:nap_60", "--action_env=A=%d" % time.time_ns())
			time.sleep(1.5)
			how = os.environ["HOW"]
			before = time.monotonic()
			if how == "EOF": c.server.stdin.close()
			else: c.server.send_signal(getattr(signal, how))
			status = c.server.wait(20)
			assert status == (-9 if how == "SIGKILL" else 0), status
			if how == "EOF":
			    t = text_of(c.wait(i)["result"])
			    assert field(t, "state") == "cancelled", t
			other = Client(argv); other.initialize()
			t = text_of(other.call("bazel_inspect", view="invocations", limit=1))
			assert ("interrupted" if how == "SIGKILL" else "cancelled") in t, (how, t)
			assert other.close() == 0
		END
		assert_no_leak 5
	done
}

@test "what a user's rc file wanted done with the events is named where the capture has put it aside" {
	local rc=$WORKSPACE/.bazelrc
	[ ! -e "$rc" ] || cp "$rc" "$BATS_TEST_TMPDIR/rc"
	echo 'build --build_event_binary_file=mine.bep' >>"$rc"
	WANTED='--build_event_binary_file=mine.bep' with_client tail <<-'END'
		t = text_of(c.wait(start("build", "//broken/cc_compile:ledger"))["result"])
		assert os.environ["WANTED"] in t and "displaced" in t, t
	END
	echo 'build --bes_backend=grpc://token:hunter2hunter2@example.com' >>"$rc"
	with_client bes <<-'END'
		t = text_of(c.wait(start("build", "//broken/cc_compile:ledger"))["result"])
		assert "--bes_backend=grpc://" in t and "@example.com" in t and "hunter2" not in t, t
		assert "mine.bep" not in t, t
	END
	rm "$rc"
	[ ! -e "$BATS_TEST_TMPDIR/rc" ] || mv "$BATS_TEST_TMPDIR/rc" "$rc"
	[ ! -e "$WORKSPACE/mine.bep" ] || rm "$WORKSPACE/mine.bep"
}

@test "a stage that is killed costs neither the build nor the answer, and is named" {
	local transport
	for transport in tail fifo bes; do
		with_client $transport <<-'END'
			import subprocess
			source = {"tail": "bep-tail", "fifo": "bep-fifo", "bes": "bes-recv"}[re.sub(r".*/|\.json", "", os.environ["SESSION_CONFIG"])]
			for victim in (["bep-reduce"] if source == "bes-recv" else [source, "bep-reduce"]):
			    i = start("build", "-k", "//slow:nap_2", "//broken/cc_compile:ledger", "--action_env=A=%d" % time.time_ns())
			    time.sleep(1.5)
			    rows = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(c.server.pid)], capture_output=True, text=True).stdout
			    pid = next(int(r.split()[0]) for r in rows.splitlines() if r.split()[1] == victim)
			    os.kill(pid, signal.SIGKILL)
			    t = text_of(c.wait(i)["result"])
			    assert field(t, "exit_code") == "1" and field(t, "outcome") == "build_failed", t
			    assert field(t, "fault") == victim + " ended early with signal 9 (Killed)", t
			    assert "broken/cc_compile/ledger.cc:6:23" in t, t
		END
	done
	assert_no_leak
}
