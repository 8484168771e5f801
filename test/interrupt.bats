#!/usr/bin/env bats
# A long action of the real Bazel is interrupted: the invocation ends as cancelled, with Bazel's own exit status 8,
# and Bazel's server stays and takes the next build at once.
load lib

setup_file() {
	start_bazel
	# Its command line is like no other on this machine.
	export NAP="sleep 61.$$"
	mkdir "$WORKSPACE/nap"
	echo "genrule(name = 'nap', outs = ['nap.txt'], cmd = '$NAP; echo > \$@')" >"$WORKSPACE/nap/BUILD"
}
teardown_file() { stop_bazel; }

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config
	for transport in tail fifo bes; do
		jq -n --arg root "$BAZEL_ROOT" --arg transport $transport \
			'{output_user_root: $root, bep_transport: $transport}' >$transport.json
	done
}

# interrupts TRANSPORT < PYTHON: what follows the start of an action that takes a minute. There c is the client,
# `asked` the request's id, `ident` the invocation's.
interrupts() {
	local program
	program=$(cat)
	run timeout 60 python3 - "$TOP/test" "$BIN/mcp-front" "$1.json" "$WORKSPACE" <<PYTHON
import glob, json, os, sys, time
sys.path.insert(0, sys.argv[1])
from mcp_client import Client, text_of

workspace = sys.argv[4]
c = Client([sys.argv[2], "--config", sys.argv[3]])
c.initialize()

def build(target, **more):
    return {"name": "bazel_run", "arguments": {"workspace": workspace, "command": "build", "args": [target]}, **more}

def view(name, **more):
    return text_of(c.call("bazel_inspect", view=name, **more))

def server():
    pids = glob.glob(os.environ["BAZEL_ROOT"] + "/*/server/server.pid.txt")
    assert len(pids) == 1, pids
    with open(pids[0]) as pid:
        return int(pid.read())

def until(holds):
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)

def naps():
    return os.popen("pgrep -f -x '%s'" % os.environ["NAP"]).read().split()

def running():
    found = [line for line in view("invocations", state="running").split("\\n") if ",running," in line]
    return found[0].strip().split(",")[0] if found else None

def ended(ident):
    # The record: cancelled, by Bazel's own exit status for it.
    until(lambda: "state: cancelled" in view("metrics", invocation_id=ident))
    told = view("metrics", invocation_id=ident)
    assert "exit_code: 8" in told and "kind: cancelled" in told and "signal" not in told, told
    until(lambda: not naps())

r = c.request("tools/call", build("//good/gen:all"))
assert "state: succeeded" in text_of(r["result"]), r
before = server()
task = {"task": {"ttl": 60000}} if os.environ.get("TASK") else {}
asked = c.start("tools/call", build("//nap", **task))
until(naps)
ident = running()
$program
assert server() == before, "the server of Bazel is another one"
r = text_of(c.request("tools/call", build("//good/sh/..."))["result"])
assert "state: succeeded" in r, r
assert server() == before, "the server of Bazel is another one"
print(r)
assert c.close() == 0
PYTHON
	assert_success
	assert_no_leak
}

@test "by bazel.cancel" {
	interrupts tail <<-'END'
		t = text_of(c.call("bazel_cancel", invocation_id=ident, reason="enough"))
		assert "cancellation_requested: true" in t, t
		t = text_of(c.wait(asked)["result"])
		assert "state: cancelled" in t and "exit_code: 8" in t and "reason: enough" in t, t
		ended(ident)
	END
}

@test "by notifications/cancelled" {
	interrupts fifo <<-'END'
		c.notify("notifications/cancelled", {"requestId": asked})
		ended(ident)
		assert asked not in c.answers
	END
}

@test "by tasks/cancel" {
	TASK=1 interrupts bes <<-'END'
		assert c.wait(asked)["result"]["task"]["taskId"] == ident
		assert c.request("tasks/cancel", {"taskId": ident})["result"]["status"] == "cancelled"
		t = text_of(c.request("tasks/result", {"taskId": ident})["result"])
		assert "state: cancelled" in t and "exit_code: 8" in t, t
		assert c.request("tasks/get", {"taskId": ident})["result"]["status"] == "cancelled"
		ended(ident)
	END
}

@test "by the file cancel in its folder" {
	interrupts tail <<-'END'
		folder, = glob.glob(os.environ["XDG_STATE_HOME"] + "/mcp-front/invocations/*/" + ident)
		with open(folder + "/cancel", "w") as out:
		    out.write("by hand\n")
		t = text_of(c.wait(asked)["result"])
		assert "state: cancelled" in t and "reason: by hand" in t, t
		ended(ident)
	END
}
