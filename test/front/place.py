"""Where the attacks on mcp-front take place: a store, a workspace, servers, and what they leave."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "test"))
from mcp_client import Client  # noqa: E402

BIN = os.environ.get("BIN") or os.path.join(TOP, "build/bin")
FRONT = os.path.join(BIN, "mcp-front")
STAND_IN = os.path.join(TOP, "test/store/stand-in-bazel")


class Place:
    """A store, a temporary folder and a workspace that go with the test; servers carry its mark."""

    def __init__(self, bazel=STAND_IN):
        self.bazel = bazel
        self.folder = tempfile.mkdtemp(prefix="attack.")
        self.mark = f"ATTACK_MARK={os.path.basename(self.folder)}"
        for name in ["tmp", "ws"]:
            os.mkdir(os.path.join(self.folder, name))
        self.workspace = self.make_workspace("ws")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def make_workspace(self, name):
        os.makedirs(self.path(name), exist_ok=True)
        open(self.path(name, "WORKSPACE"), "w").close()
        return self.path(name)

    def serve(self, **config):
        path = self.path("config.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"cache_root": self.path("store"), "bazel_executable": self.bazel, **config}, out)
        name, value = self.mark.split("=")
        env = dict(os.environ, TMPDIR=self.path("tmp"), **{name: value})
        client = Client([FRONT, "--config", path], timeout=60, env=env)
        client.initialize()
        return client

    def owns(self, pid):
        """By the mark, or by where it runs: Bazel does not get our environment. Not Bazel's server, which stays."""
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            state = stat.read().rsplit(")", 1)[1].split()[0]
        with open(f"/proc/{pid}/environ", "rb") as env, open(f"/proc/{pid}/cmdline", "rb") as words:
            marked = self.mark.encode() in env.read().split(b"\0")
            is_server = words.read().startswith(b"bazel(")
        return state != "Z" and not is_server and (marked or os.readlink(f"/proc/{pid}/cwd").startswith(self.folder))

    def processes(self):
        """Those of our servers and of what they started."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if self.owns(pid):
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def describe(self):
        """What runs, as ps(1) tells it."""
        pids = ",".join(map(str, self.processes())) or "0"
        command = ["ps", "-o", "pid,ppid,state,wchan:20,args", "-p", pids]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout

    def expect_nothing_left(self, within=10):
        deadline = time.monotonic() + within
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not self.processes(), self.describe()
        assert not os.listdir(self.path("tmp")), os.listdir(self.path("tmp"))

    def unfinished(self):
        """Records that are not terminal."""
        database = sqlite3.connect(self.path("store", "store.db"))
        try:
            return database.execute("SELECT id, state FROM invocations WHERE state < 3").fetchall()
        finally:
            database.close()

    def expect_all_finished(self):
        """A server answers before its writes are on the disk."""
        deadline = time.monotonic() + 5
        while self.unfinished() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not self.unfinished(), self.unfinished()

    def run(self, client, *args, **more):
        workspace = more.pop("workspace", self.workspace)
        arguments = dict(workspace=workspace, command="build", args=list(args), **more)
        return client.start("tools/call", {"name": "bazel_run", "arguments": arguments})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)
