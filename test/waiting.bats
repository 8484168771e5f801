#!/usr/bin/env bats
# Who has to wait is told for what, and since when; a cancel is at once, and a timeout says what it was that took
# so long. With a stand-in for Bazel, and with the real one where it is Bazel's own lock.
load lib

setup_file() {
	start_bazel
	bz build //good/gen/... >"$BATS_FILE_TMPDIR/warm" 2>&1
	mkdir -p "$BATS_FILE_TMPDIR/a" "$BATS_FILE_TMPDIR/b" "$BATS_FILE_TMPDIR/c"
	touch "$BATS_FILE_TMPDIR"/{a,b,c}/WORKSPACE
}
teardown_file() { stop_bazel; }

# session [JSON]: runs the Python on stdin with `c`, a client of a server with this configuration; `a`, `b` and
# `w` are workspaces, w that of the real Bazel.
session() {
	cat >"$BATS_TEST_TMPDIR/session.py"
	jq -n --arg store "$BATS_TEST_TMPDIR/store" --arg root "$BAZEL_ROOT" --argjson more "${1-{\}}" \
		'{cache_root: $store, output_user_root: $root, isolated_bazel_server_idle_seconds: 600,
		  cancellation_interrupt_grace_seconds: 5, cancellation_terminate_grace_seconds: 1} + $more' \
		>"$BATS_TEST_TMPDIR/config.json"
	PYTHONPATH="$TOP/test" timeout 100 python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import fcntl, glob, os, re, subprocess, sys, time
		from mcp_client import Client, text_of
		here = sys.argv[1]
		argv = ["mcp-front", "--config", here + "/config.json"]
		c = Client(argv)
		c.initialize()
		a, b = (os.environ["BATS_FILE_TMPDIR"] + "/" + name for name in "ab")
		w = os.environ["WORKSPACE"]
		def start(where, *args, client=c, **more):
		    arguments = dict(workspace=where, command="build", args=list(args), **more)
		    return client.start("tools/call", {"name": "bazel_run", "arguments": arguments})
		def run(where, *args, client=c, **more):
		    return text_of(client.wait(start(where, *args, client=client, **more))["result"])
		def field(text, name):
		    found = re.search(r"^ *" + name + r': "?(.*?)"?$', text, re.M)
		    return found.group(1) if found else None
		def nonce():
		    return "--define=nonce=%d" % time.time_ns()
		exec(open(here + "/session.py").read())
		assert c.close() == 0
	END
	assert_no_leak
}

# stand_in: the configuration that names it.
stand_in() {
	jq -n --arg bazel "$TOP/test/store/stand-in-bazel" --argjson more "$1" '{bazel_executable: $bazel} + $more'
}

@test "no more run at once than may: the next is told how many do, and a cancel is at once" {
	session "$(stand_in '{"global_concurrency": 2}')" <<-'END'
		other = os.path.dirname(a) + "/c"
		for where in (a, b):
		    assert field(run(where, "--define=hang=1", wait_seconds=1), "state") == "running"
		t = run(other, "//x", wait_seconds=1)
		assert field(t, "state") == "queued", t
		assert field(t, "doing") == "waiting for a free place: 2 invocations run, 0 before this one", t
		i = start(other, "//x", wait_seconds=60)
		began = time.monotonic()
		c.call("bazel_cancel", invocation_id=field(t, "invocation_id"))
		t = text_of(c.wait(i)["result"])
		assert field(t, "headline") == "cancelled before Bazel was started", t
		assert time.monotonic() - began < 1
		i = start(other, "//x")
		c.call("bazel_cancel", invocation_id=re.search(r"[0-9a-f-]{36}", text_of(
		    c.call("bazel_inspect", view="invocations", state="running"))).group())
		t = text_of(c.wait(i)["result"])
		assert field(t, "state") == "succeeded", t
	END
}

@test "the queue has an end: what comes behind it is refused, and why" {
	session "$(stand_in '{"global_concurrency": 1, "maximum_pending_invocations": 2}')" <<-'END'
		run(a, "--define=hang=1", wait_seconds=1)
		t = run(b, "//x", wait_seconds=1)
		assert field(t, "state") == "queued", t
		refused = c.call("bazel_run", workspace=b, command="build", args=["//y"])
		assert refused["isError"], refused
		assert "2 invocations are running or waiting, as many as are allowed" in text_of(refused), refused
		i = start(b, "//x", wait_seconds=60)
		c.call("bazel_cancel", invocation_id=field(t, "invocation_id"))
		c.wait(i)
		t = run(b, "//y", wait_seconds=1)
		assert field(t, "state") == "queued", t
	END
}

@test "an output base that stays in use: the timeout names who had it" {
	session "$(stand_in '{"lock_timeout_seconds": 2}')" <<-'END'
		other = Client(argv); other.initialize()
		run(a, "--define=hang=1", client=other, wait_seconds=1)
		t = run(a, "//x")
		assert field(t, "state") == "timed_out", t
		told = r"timed out after 2 s, waiting for the output base, held by process %d for \d+ s" % other.server.pid
		assert re.fullmatch(told, field(t, "headline")), t
		t = text_of(c.call("bazel_inspect", view="metrics", invocation_id=field(t, "invocation_id")))
		assert 2000 <= int(re.search(r"lock_wait_ms: (\d+)", t)[1]) < 4000 and "kind: timeout" in t, t
		assert other.close() == 0
	END
}

@test "Bazel's own lock, held in its server: waiting, a timeout, and --noblock_for_lock name its owner" {
	session <<-'END'
		bz = ["bazel", "--output_user_root=" + os.environ["BAZEL_ROOT"], "--max_idle_secs=600"]
		shell = subprocess.Popen(bz + ["build", "//slow:nap_60", "--action_env=A=%d" % time.time_ns()], cwd=w,
		                         stderr=subprocess.PIPE, text=True)
		while "actions running" not in (line := shell.stderr.readline()) and "nap" not in line:
		    assert line
		t = run(w, "//good/gen/...", nonce(), startup_args=["--noblock_for_lock"])
		assert (field(t, "state"), field(t, "outcome"), field(t, "exit_code")) == ("failed", "locked", "9"), t
		assert "pid=%d" % shell.pid in field(t, "headline"), t
		waiting = "waiting for another Bazel command on this output base, process %d" % shell.pid
		t = run(w, "//good/gen/...", nonce(), timeout_seconds=3)
		assert field(t, "state") == "timed_out", t
		assert field(t, "headline") == "timed out: Bazel ran longer than 3 s (timeout_seconds), " + waiting, t
		stamp = nonce()
		t = run(w, "//good/gen/...", stamp, wait_seconds=2)
		assert field(t, "doing") == waiting, t
		i = start(w, "//good/gen/...", stamp, wait_seconds=60)
		began = time.monotonic()
		c.call("bazel_cancel", invocation_id=field(t, "invocation_id"))
		t = text_of(c.wait(i)["result"])
		assert field(t, "state") == "cancelled" and time.monotonic() - began < 3, t
		assert shell.poll() is None
		shell.terminate()
		shell.communicate()
		t = run(w, "//good/gen/...", nonce())
		assert field(t, "state") == "succeeded", t
	END
}

@test "Bazel's own lock, held by a client: told with its owner, with --noblock_for_lock refused at once" {
	session <<-'END'
		with open(glob.glob(os.environ["BAZEL_ROOT"] + "/*/lock")[0], "r+") as lock:
		    fcntl.lockf(lock, fcntl.LOCK_EX)
		    t = run(w, "//good/gen/...", nonce(), startup_args=["--noblock_for_lock"])
		    assert (field(t, "outcome"), field(t, "exit_code")) == ("locked", "9"), t
		    stamp = nonce()
		    t = run(w, "//good/gen/...", stamp, wait_seconds=2)
		    assert field(t, "state") == "running", t
		    assert field(t, "doing") == "waiting for another Bazel command on this output base, process %d" % os.getpid(), t
		t = run(w, "//good/gen/...", stamp)
		assert field(t, "state") == "succeeded", t
	END
}

@test "a lock that nothing is said about is told all the same, whoever of the group waits for it" {
	mkdir "$BATS_TEST_TMPDIR/base"
	printf 'pid=%d\nowner=client\n' "$$" >"$BATS_TEST_TMPDIR/base/lock"
	cat >"$BATS_TEST_TMPDIR/silent" <<-'END'
		#!/bin/sh
		[ "$1" != --version ] || { echo 'bazel 9.2.0'; exit; }
		"${0%/*}/client"
	END
	cat >"$BATS_TEST_TMPDIR/client" <<-'END'
		#!/usr/bin/python3
		import fcntl, os, struct, sys, time
		lock = open(os.path.dirname(sys.argv[0]) + "/base/lock", "r+")
		wish = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
		while True:
		    try:
		        fcntl.fcntl(lock, 37, wish)  # F_OFD_SETLK, as Bazel does
		        break
		    except OSError:
		        time.sleep(0.1)
		time.sleep(2)
	END
	chmod +x "$BATS_TEST_TMPDIR"/{silent,client}
	session "$(jq -n --arg bazel "$BATS_TEST_TMPDIR/silent" '{bazel_executable: $bazel}')" <<-'END'
		import struct
		with open(here + "/base/lock", "r+") as lock:
		    fcntl.fcntl(lock, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
		    t = run(a, "//x", wait_seconds=1)
		    owner = int(lock.readline()[4:])
		    assert field(t, "doing") == "waiting for another Bazel command on this output base, process %d" % owner, t
		t = run(a, "//x", wait_seconds=1)
		assert field(t, "doing") == "running", t
	END
}
