#!/usr/bin/env python3
"""Plants secrets in one kind of place, has mcp-front tell everything that it tells, and looks for them there.

usage: check.py WHAT [CONFIG]      in a folder of its own; BIN has the programs; CONFIG: members as JSON

WHAT: fields    every text field of every event, console and arguments
      dense     texts of hardly anything but secrets, so that every limit cuts in the middle of one
      program   the end of what a program prints
      forged    cursors into the middle of lines
      running   what is told while Bazel runs: progress, tasks, live views; and how a cancelled one ends
      words     what the caller itself said wrongly, in error messages
      real      what the real Bazel makes of secrets in files, names, the environment, rc files and arguments; ws is
                a copy of the sample workspace

Looked through: every message, stderr, every text of every table of the database, and each file of the store
that is not raw evidence. One line for each leak; exit 1 when there was one, or when nothing was planted.
"""

import base64
import json
import os
import sqlite3
import stat
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import plant  # noqa: E402
from mcp_client import Client  # noqa: E402

RAW = {"events.bep", "stdout.log", "stderr.log", "redact"}
VIEWS = ["summary", "diagnostics", "tests", "test_log", "coverage", "artifacts", "query_results", "log", "metrics",
         "events", "compare"]
BARE = plant.NAMES + ["password", "api_key", "query", "jwt", "url"]
ID = "00000000-0000-4000-8000-000000000000"


def write(path, data):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


END = plant.field(1, plant.field(9, b"")) + plant.field(14, plant.field(3, plant.field(2, 1))) + plant.field(20, 1)


class Place:
    """A workspace with the stand-in, a store, and everything that was said."""

    def __init__(self, garden, config):
        self.garden = garden
        self.said = []
        self.workspace = os.path.abspath("ws")
        self.say = self.workspace + "/say/"
        self.state = os.path.abspath("state")
        if not os.path.exists(self.workspace):
            write(self.workspace + "/WORKSPACE", "")
        for name in ("events.bep", "stdout", "stderr"):
            write(self.say + name, "")
        write(self.say + "status", "1")
        write(self.say + "end.bep", plant.frame(END))
        settings = {"bazel_executable": HERE + "/stand-in-bazel", "redaction_patterns": [plant.OWN_PATTERN]}
        settings.update(config)
        settings = {name: value for name, value in settings.items() if value is not None}
        write("c.json", json.dumps(settings))
        os.environ["XDG_STATE_HOME"] = self.state

    def connect(self, version="2025-11-25", **popen):
        # pylint: disable=consider-using-with # it is the server's for the whole session
        words = open("stderr", "ab")
        client = Client([os.environ["BIN"] + "/mcp-front", "--config", "c.json"], stderr=words, **popen)
        receive = client.receive

        def remember(timeout=None):
            message = receive(timeout)
            self.said.append(json.dumps(message, ensure_ascii=False))
            return message

        client.receive = remember
        client.initialize(version)
        return client

    def call(self, client, tool, meta=None, **arguments):
        params = {"name": tool, "arguments": arguments}
        if meta:
            params["_meta"] = meta
        return client.request("tools/call", params)

    def run(self, client, *args, **more):
        answer = self.call(client, "bazel_run", workspace=self.workspace, command=more.pop("command", "build"),
                           args=list(args), **more)
        return id_of(answer)

    def look(self, client, ident, sizes=((100, None), (1, 1000))):
        """Every view, every page, in several sizes."""
        for view in VIEWS:
            for limit, size in sizes:
                more = {"limit": limit, **({"max_bytes": size} if size else {})}
                self.pages(client, view=view, invocation_id=ident, **more)
        for view in ("invocations", "history"):
            self.pages(client, view=view, **({"label": "//app:x"} if view == "history" else {}))

    def pages(self, client, **arguments):
        cursor = None
        for _ in range(60):
            answer = self.call(client, "bazel_inspect", **arguments, **({"cursor": cursor} if cursor else {}))
            cursor = cursor_of(answer)
            if not cursor:
                return

    def leaks(self):
        """Looks at everything; the number of leaks."""
        texts = {"message %d" % n: text for n, text in enumerate(self.said)}
        with open("stderr", "rb") as words:
            texts["stderr"] = words.read().decode(errors="replace")
        texts.update(database(self.state + "/mcp-front/store.db"))
        texts.update(files(self.state))
        count = 0
        for where, text in texts.items():
            # In JSON a quote is escaped, and escapes are never in a secret.
            for (place, kind), around in self.garden.found(text).items():
                count += 1
                if count <= 40:
                    print("leak: %s (%s) in %s: %r" % (place, kind, where, around))
        print("%d secrets, %d texts, %d leaks" % (self.garden.count, len(texts), count))
        return count


def id_of(answer):
    text = json.dumps(answer)
    at = text.find("invocation_id")
    return text[at:].replace("\\", "").split(": ", 1)[1].lstrip('"')[:36] if at >= 0 else None


def cursor_of(answer):
    text = answer.get("result", {}).get("content", [{}])[0].get("text", "")
    at = text.find("next_cursor: ")
    return text[at + 13 :].split("\n")[0].strip('"') if at >= 0 else None


def database(path):
    texts = {}
    if not os.path.exists(path):
        return texts
    base = sqlite3.connect(path)
    for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        rows = base.execute("SELECT * FROM " + table)
        names = [column[0] for column in rows.description]
        for number, row in enumerate(rows):
            for name, value in zip(names, row):
                if isinstance(value, (str, bytes)):
                    text = value if isinstance(value, str) else value.decode(errors="replace")
                    texts["%s.%s of row %d" % (table, name, number)] = text
    base.close()
    with open(path, "rb") as whole:  # pages that are no longer in use, too
        texts["the database's file"] = whole.read().decode("latin-1")
    return texts


def files(root):
    """The text of each file that is not raw evidence; an exception for one that others could read."""
    texts = {}
    for folder, _, names in os.walk(root):
        if os.lstat(folder).st_mode & 0o077:
            raise SystemExit("%s is open to others" % folder)
        for name in names:
            path = os.path.join(folder, name)
            if stat.S_IMODE(os.lstat(path).st_mode) & 0o077 and name != "events.bep":
                raise SystemExit("%s is open to others" % path)
            texts[path] = path
            if name not in RAW and not name.startswith("store.db"):
                with open(path, "rb") as whole:
                    texts[path] += "\n" + whole.read().decode(errors="replace")
    return texts


def arguments(garden):
    return flags_of_tests(garden) + [
        "--remote_header=Authorization=Bearer " + garden.secret("--remote_header", "line")[:30],
        "--bes_header=x-api-key=" + garden.secret("--bes_header", "line")[:30],
        "--remote_cache=https://me:" + garden.secret("--remote_cache", "line")[:20] + "@cache/x",
        "--client_secret",
        garden.secret("an argument behind its name", "line")[:24],
        "--password",
        "two words " + garden.secret("a quoted argument behind its name", "line")[:24],
        "//app:" + garden.plant("target", plant.NAMES),
    ]


def flags_of_tests(garden):
    return [
        "--define=password=" + garden.secret("--define", "line")[:20],
        "--define=x=" + garden.plant("--define x"),
        "--action_env=API_TOKEN=" + garden.secret("--action_env", "line")[:20],
        "--test_env=DB_PASSWORD=" + garden.secret("--test_env", "line")[:30],
        "--test_arg=" + garden.plant("--test_arg"),
        "--test_arg=--token",
        "--test_arg=" + garden.secret("--test_arg behind a name", "line")[:30],
    ]


def fields(place):
    garden = place.garden
    filler = plant.Filler(lambda path: "%s says %s" % (path, garden.plant(path)))
    write(place.say + "events.bep", b"".join(plant.frame(e) for _, e in filler.events()))
    write(place.say + "stdout", "out %s\n%s" % (garden.plant("stdout"), garden.key("stdout key")))
    write(place.say + "stderr", "ERROR: /x/BUILD:1:1: %s\n%s" % (garden.plant("stderr"), garden.key("stderr key")))
    client = place.connect()
    for command in ("build", "test", "query", "info", "coverage"):
        place.look(client, place.run(client, *arguments(garden), command=command))
    client.close()


def logs(place, root):
    """The events of a test and an action that failed, with their files below `root`."""
    garden, label = place.garden, "//app:x"
    write(root + "/testlogs/app/x/test.log", garden.dense("test log", 400000, "\n") + garden.key("test log key", 400)
          + garden.dense("test log", 300000))
    case = '<testcase name="%s"><failure message="%s">%s</failure></testcase>'
    cases = "".join(case % (garden.plant("case", plant.NAMES), garden.dense("failure", 3000).replace('"', "'")
                            .replace("&", " "), garden.dense("trace", 6000).replace("&", " ")) for _ in range(12))
    write(root + "/testlogs/app/x/test.xml", "<testsuites><testsuite>%s</testsuite></testsuites>" % cases)
    write(root + "/x.stderr", "app/x.cc:1:2: error: %s\n%s" % (garden.dense("error", 3000), garden.dense("action",
          100000, "\n")))
    uri = "file://" + root
    file = plant.field
    started = file(7, place.workspace) + file(5, "test") + file(6, place.workspace) + file(1, ID)
    log = file(1, "test.log") + file(2, uri + "/testlogs/app/x/test.log")
    xml = file(1, "test.xml") + file(2, uri + "/testlogs/app/x/test.xml")
    result = file(5, 4) + file(2, log) + file(2, xml) + file(9, garden.dense("status_details", 9000))
    action = file(2, 1) + file(5, label) + file(8, "CppCompile") + file(4, file(1, "stderr") + file(2, uri +
             "/x.stderr")) + file(11, file(1, garden.dense("failure_detail", 5000)))
    return [
        file(1, file(3, b"")) + file(5, started),
        file(1, file(23, b"")) + file(25, file(1, root + "/execroot/ws")),
        file(1, file(6, file(1, "x.o") + file(2, label))) + file(7, action),
        file(1, file(5, file(1, label))) + file(8, file(9, file(1, garden.dense("target failure", 5000)))),
        file(1, file(8, file(1, label) + file(2, 1) + file(3, 1) + file(4, 1))) + file(10, result),
        file(1, file(7, file(1, label))) + file(9, file(5, 4) + file(1, 1)),
    ]


def progress(text, number=1):
    return plant.field(1, plant.field(2, plant.field(1, number))) + plant.field(3, plant.field(2, text))


def program(place):
    """What a program prints that was run with success: the end of it is told with the answer."""
    garden = place.garden
    write(place.say + "status", "0")
    for end in (garden.dense("program", 40000, "\n") + garden.dense("program", 7900, ";"),
                garden.dense("program", 3000, "\n") + garden.key("program's key", 200),
                garden.dense("program", 30000, ";"), garden.dense("program", 9000)):
        write(place.say + "stdout", end)
        client = place.connect()
        for command in ("run", "info"):
            more = {"target": "//app:x"} if command == "run" else {}
            place.look(client, place.run(client, command=command, **more), ((100, None),))
        client.close()
    if "output_excerpt" not in "".join(place.said):
        raise SystemExit("no program's output was told")


def forged(place):
    """Cursors that were never given, into the middle of each line: only the offset in them is ours."""
    garden = place.garden
    write(place.say + "stdout", garden.dense("console", 3000, "\n"))
    client = place.connect()
    ident = place.run(client, command="query")
    arguments = {"view": "log", "invocation_id": ident, "limit": 1}
    given = cursor_of(place.call(client, "bazel_inspect", **arguments))
    front = base64.urlsafe_b64decode(given + "=" * (-len(given) % 4))[:9]  # version and context: cursor.c
    for at in range(0, 3000, 7):
        cursor = base64.urlsafe_b64encode(front + plant.varint(at) + plant.varint(1) + b"\0").decode().rstrip("=")
        answer = place.call(client, "bazel_inspect", cursor=cursor, **arguments)
        if "isError" in answer["result"] and answer["result"]["isError"]:
            raise SystemExit("the forged cursor is none: %r" % answer)
    client.close()


def dense(place):
    garden = place.garden
    root = os.path.abspath("base")
    events = logs(place, root)
    for number in range(20):  # cut anywhere, as Bazel flushes its console by time
        whole = garden.plant("two progress events", ["github", "npm", "aws", "gitlab"])
        events += [progress("INFO: " + whole[:12], number), progress(whole[12:] + "\n", number)]
    events += [progress("ERROR: app/BUILD:1:1: " + garden.dense("progress", 20000) + "\n")]
    filler = plant.Filler(lambda path: garden.dense(path, 2500))
    events += [event for _, event in filler.events()]
    write(place.say + "events.bep", b"".join(plant.frame(event) for event in events))
    long_line = "".join(garden.plant("a long line", BARE) + "&" for _ in range(15000)) + "\n"
    console = garden.dense("console", 300000, "\n") + garden.key("console key", 600) + long_line
    write(place.say + "stdout", console + garden.dense("console", 30000, "\n") + garden.dense("end", 9000, ";"))
    write(place.say + "stderr", console + garden.key("last key", 300) + garden.dense("console", 3000, "\n"))
    client = place.connect()
    config = {"test": ((100, None), (1, 1000)), "query": ((100, None),), "run": ((100, None),), "info": ((1, 1000),)}
    for command, sizes in config.items():
        more = {"target": "//app:" + garden.plant("target", plant.NAMES)} if command == "run" else {}
        words = [] if more else [garden.dense("args", 400, ",")]
        place.look(client, place.run(client, *words, command=command, **more), sizes)
    client.close()


def wait_until(client, place, ident, word):
    for _ in range(200):
        answer = place.call(client, "bazel_inspect", view="summary", invocation_id=ident)
        if word in json.dumps(answer):
            return
        time.sleep(0.05)
    raise SystemExit("never seen: " + word)


def running(place):
    garden = place.garden
    write(place.say + "hang", "")
    events = logs(place, os.path.abspath("base"))
    for number in range(30):
        text = "[%d / 90] Compiling %s; 1s linux-sandbox\n" % (number, garden.dense("activity", 90 + number * 7))
        events.append(progress("\r\x1b[1A\x1b[K" + text, number))
    half = garden.secret("an unfinished line", "github")[:20]
    events.append(progress("ERROR: app/BUILD:1:1: " + half, 31))
    write(place.say + "events.bep", b"".join(plant.frame(event) for event in events))
    write(place.say + "stderr", garden.dense("console", 5000, "\n") + half)
    client = place.connect()
    run = {"workspace": place.workspace, "command": "build", "args": arguments(garden)}
    asked = client.start("tools/call", {"name": "bazel_run", "arguments": run, "_meta": {"progressToken": 1}})
    ident = place.run(client, *run["args"], wait_seconds=1)
    wait_until(client, place, ident, "running")
    place.look(client, ident, ((100, None),))
    place.call(client, "bazel_cancel", invocation_id=ident, reason=garden.dense("reason", 300))
    client.wait(asked)
    task = client.request("tools/call", {"name": "bazel_run", "arguments": run, "task": {"ttl": 60000}})
    task = task["result"]["task"]["taskId"]
    client.request("tasks/get", {"taskId": task})
    client.request("tasks/cancel", {"taskId": task})
    client.request("tasks/result", {"taskId": task})
    client.request("tasks/list", {})
    place.look(client, task, ((100, None),))
    client.close()


def words(place):
    garden = place.garden

    def secret(what):
        return garden.plant(what + " of the caller", plant.NAMES)

    client = place.connect()
    run = {"workspace": place.workspace, "command": "build"}
    for name in ("workspace", "command", "target", "rerun_failed"):
        place.call(client, "bazel_run", **{**run, name: "/" * (name == "workspace") + secret(name)})
    for name in ("args", "startup_args", "program_args"):
        place.call(client, "bazel_run", **{**run, name: [secret(name)]})
        place.call(client, "bazel_run", **{**run, name: ["--%s=%s" % (secret(name), secret(name))]})
        place.call(client, "bazel_run", **{**run, name: secret(name)})
    place.call(client, "bazel_run", **run, **{secret("a parameter"): 1})
    place.call(client, "bazel_run", **{**run, "startup_args": ["--output_base=/" + secret("output_base")]})
    place.call(client, "bazel_run", **{**run, "args": ["--output=" + secret("output")], "command": "query"})
    for name in ("view", "invocation_id", "filter", "status", "label", "types", "state", "against", "cursor",
                 "workspace", "command"):
        for view in ("invocations", "events", "tests", "history", "compare"):
            place.call(client, "bazel_inspect", **{"view": view, name: secret(name)})
    place.call(client, "bazel_cancel", invocation_id=secret("invocation_id"), reason=secret("reason"))
    place.call(client, secret("a tool"))
    client.request(secret("a method"), {secret("a parameter"): 1})
    client.notify("notifications/" + secret("a notification"))
    for name in ("tasks/get", "tasks/cancel", "tasks/result"):
        client.request(name, {"taskId": secret(name)})
    client.request("tasks/list", {"cursor": secret("a cursor")})
    client.send_bytes(("{%s\n" % secret("no JSON")).encode())
    client.request("ping")
    client.close()


RULES = """
genrule(
    name = "gen",
    outs = ["gen.txt"],
    cmd = "echo 'gen says %(genrule's stdout)s'; echo '%(genrule's stderr)s' >&2; exit 1",
)

genrule(
    name = "noisy",
    outs = ["noisy.txt"],
    cmd = "echo db '%(action's output)s' env=$$API_TOKEN >&2; echo > $@",
)

cc_library(
    name = "%(target's name)s",
    srcs = ["%(file's name)s.cc"],
)

sh_test(
    name = "fail_test",
    srcs = ["fail_test.sh"],
    args = ["--api_key=%(test's argument)s"],
    env = {"DB_PASSWORD": "%(test's environment)s"},
    tags = ["%(tag)s"],
)

sh_binary(
    name = "tool",
    srcs = ["tool.sh"],
)

print("%(print)s")
"""


def leaks_package(place):
    garden, folder = place.garden, place.workspace + "/leaks/"

    class Names(dict):
        def __missing__(self, what):
            self[what] = garden.plant(what, plant.NAMES)
            return self[what]

    names = Names()
    write(folder + "BUILD", RULES % names)
    write(folder + names["file's name"] + ".cc", '#error "%s"\n' % garden.plant("compiler's error", ["github"]))
    write(folder + "tool.sh", "#!/bin/sh\necho '%s'\necho '%s' >&2\n" % (garden.plant("program"),
          garden.plant("program's stderr")))
    case = "<testcase name='c %s'><failure message='m'>%s</failure></testcase>"
    xml = case % (garden.plant("case", plant.NAMES), garden.plant("trace", plant.NAMES))
    write(folder + "fail_test.sh", "#!/bin/sh\ncat <<'LOG'\n%s\n%sLOG\necho \"$API_TOKEN $DB_PASSWORD $*\"\n"
          "cat >\"$XML_OUTPUT_FILE\" <<'XML'\n<testsuites><testsuite name='s'>%s</testsuite></testsuites>\nXML\nexit 1\n"
          % (garden.plant("test's log"), garden.key("test's key"), xml))
    write(place.workspace + "/broken_pkg/BUILD", "fail('%s')\n" % garden.plant("fail", plant.NAMES))
    write(place.workspace + "/status", "#!/bin/sh\necho 'STABLE_API_TOKEN %s'\necho 'BUILD_USER %s'\n"
          % (garden.secret("workspace status", "line")[:30], garden.plant("workspace status", plant.NAMES)))
    for name in ("leaks/fail_test.sh", "leaks/tool.sh", "status"):
        os.chmod(place.workspace + "/" + name, 0o755)
    with open(place.workspace + "/.bazelrc", "a", encoding="utf-8") as rc:
        for line in ("build --define=password=%s", "build --action_env=RC_TOKEN=%s", "build --workspace_status_command=" + place.workspace + "/status",
                     "build:remote --remote_header=Authorization=Bearer\\ %s", "test --test_env=RC_SECRET=%s"):
            rc.write((line % garden.secret("rc file", "line")[:40] if "%" in line else line) + "\n")


def real(place):
    garden = place.garden
    leaks_package(place)
    os.environ["API_TOKEN"] = "api_token=" + garden.secret("environment", "line")[:30]
    client = place.connect()
    metadata = "--build_metadata=API_TOKEN=" + garden.secret("build metadata", "line")[:30]
    flags = ["-k", "--config=remote", metadata, "--action_env=API_TOKEN", "--test_env=API_TOKEN"]
    flags += flags_of_tests(garden)
    place.look(client, place.run(client, *flags, "//leaks/...", command="test"))
    place.look(client, place.run(client, "//broken_pkg:" + garden.plant("no such target", plant.NAMES)), ((100, None),))
    place.look(client, place.run(client, "--output=build", "//leaks:all", command="query"), ((100, None),))
    place.look(client, place.run(client, command="run", target="//leaks:tool", program_args=[
        "--token", garden.secret("program's argument", "line")[:30], garden.plant("program's argument")]), ((100, None),))
    client.close()
    evidence = ""
    for folder, _, names in os.walk(place.state):
        for name in names:
            if name in RAW:
                with open(os.path.join(folder, name), "rb") as raw:
                    evidence += raw.read().decode("latin-1")
    planted = {where for where, _ in garden.parts.values()}
    missing = planted - {where for where, _ in garden.found(evidence)} - {"case", "trace"}
    if missing or "c [REDACTED]" not in "".join(place.said):
        raise SystemExit("never seen by Bazel: " + ", ".join(sorted(missing)))


def main():
    what, config = sys.argv[1], json.loads((sys.argv[2:] + ["{}"])[0])
    kinds = [kind for kind in plant.KINDS if kind != "line"]
    if config.get("redaction_patterns", 1) is None:
        kinds.remove("own")
    place = Place(plant.Garden(kinds), config)
    {"fields": fields, "dense": dense, "program": program, "forged": forged, "running": running, "words": words, "real": real}[what](place)
    told = "".join(place.said)
    if what != "words" and "[REDACTED]" not in told:
        raise SystemExit("nothing was told")
    return 1 if place.leaks() else 0


if __name__ == "__main__":
    sys.exit(main())
