#!/usr/bin/env bats
# The acceptance back-channel as bep-durable serves it; the connector alone: test/unit/ack_test.c.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 "$BATS_TEST_TMPDIR"
	export PYTHONPATH="$TOP/test/fault"
}

need_another_user() {
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
}

@test "a plain pipeline: 0 at first, then each new sum" {
	python3 - <<'PY'
from pipeline import Run, Stream
stream = Stream.of_sizes([400] * 640)
client = Run(["e.bep"])
assert client.connect()
assert client.result.accepted == 0
seen = []
take = client.take_numbers
def note():
    take()
    seen.append(client.result.accepted)
client.take_numbers = note
result = client.feed(stream.batches(64), stop_and_wait=True,
                     frames_of=lambda sent: min(64 * sent, len(stream.frames)))
assert result.status == 0, result.err
assert seen == [*range(64, 641, 64), 641], seen
PY
}

@test "--append: the first number is what FILE holds" {
	python3 - <<'PY'
from pipeline import Stream, content, run, Run
stream = Stream.of_sizes([400] * 100)
with open("e.bep", "wb") as file:
    file.write(stream.bytes[:stream.ends[40] + 3])
client = Run(["-q", "--append", "e.bep"])
assert client.connect() and client.result.accepted == 40, client.result.accepted
result = client.feed(stream.batches(64, 40))
assert result.accepted == 101 and content("e.bep") == stream.bytes
PY
}

@test "a frame is not accepted before it is whole" {
	python3 - <<'PY'
import os, time
from pipeline import Run, Stream
stream = Stream.of_sizes([100000])
client = Run(["e.bep"])
client.connect()
os.set_blocking(client.pipe, True)
os.write(client.pipe, stream.bytes[:99999])
client.ack.settimeout(0.2)
try:
    client.take_numbers()
    raise SystemExit(f"accepted {client.result.accepted}")
except TimeoutError:
    pass
client.ack.setblocking(False)
os.set_blocking(client.pipe, False)
result = client.feed([stream.bytes[99999:]])
assert result.accepted == 2 and result.status == 0
PY
}

@test "a client that never reads its numbers stops nothing and gets the newest" {
	python3 - <<'PY'
from pipeline import Run, Stream
stream = Stream.of_sizes([10] * 20000)
client = Run(["e.bep"])
client.connect()
ack, client.ack = client.ack, None

def batches():
    yield from stream.batches(1)
    client.ack = ack  # reads again from here on

result = client.feed(batches())
assert result.status == 0 and result.accepted == 20001, (result.status, result.accepted, result.err)
PY
}

@test "a second connector is closed at once and the first goes on" {
	python3 - <<'PY'
import socket
from pipeline import Run, Stream
stream = Stream.of_sizes([400] * 100)
client = Run(["e.bep"])
client.connect()
for _ in range(50):
    second = socket.socket(socket.AF_UNIX)
    second.settimeout(5)
    second.connect(client.name)
    assert second.recv(8) == b""
result = client.feed(stream.batches(8))
assert result.status == 0 and result.accepted == 101
PY
}

@test "a connector that leaves makes room for another" {
	python3 - <<'PY'
from pipeline import Run, Stream
stream = Stream.of_sizes([400] * 100)
client = Run(["e.bep"])
for _ in range(20):
    assert client.connect() and client.result.accepted == 0
    client.ack.close()
assert client.connect()
result = client.feed(stream.batches(8))
assert result.status == 0 and result.accepted == 101
PY
}

@test "when FILE fails the connector sees the end, and not before the last number" {
	python3 - <<'PY'
import os, resource, subprocess, time
from pipeline import Run, Stream, content
stream = Stream.of_sizes([400] * 1000)
client = Run(["e.bep"], wrap=["bash", "-c", 'ulimit -f 100; exec "$@"', "bash"])
client.connect()
os.set_blocking(client.pipe, True)
client.ack.settimeout(5)
try:
    for batch in stream.batches(8):
        os.write(client.pipe, batch)
        client.take_numbers()
    raise SystemExit("no end")
except (ConnectionError, BrokenPipeError):
    pass
client.ack.close()
client.ack = None
result = client.feed([])
assert result.status == 74, result.status
assert stream.ends[result.accepted] == len(content("e.bep")), (result.accepted, len(content("e.bep")))
assert len(content("e.bep")) > 90000
PY
}

@test "another user gets nothing, and disturbs nothing" {
	need_another_user
	python3 - <<'PY'
import os, sys, time
from pipeline import Run, Stream
stream = Stream.of_sizes([400] * 2000)
stranger = """
import socket, sys, time
end = time.monotonic() + 1.5
count = 0
while time.monotonic() < end:
    try:
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(5)
        s.connect(sys.argv[1])
        count += 1
        try:
            s.send(b"x" * 8)
        except BrokenPipeError:
            pass
        try:
            got = s.recv(8)
        except ConnectionResetError:
            got = b""
        assert got == b"", got
    except (ConnectionRefusedError, BlockingIOError):
        pass
print(count)
"""
client = Run(["e.bep"])
child = os.fork()
if child == 0:
    os.setgroups([])
    os.setresuid(65534, 65534, 65534)
    sys.argv = ["stranger", client.name]
    try:
        exec(stranger)
    except BaseException as error:
        print("stranger:", repr(error))
        os._exit(1)
    os._exit(0 if count > 10 else 2)
time.sleep(0.2)
assert client.connect(), "the stranger kept us out"
assert client.result.accepted == 0
result = client.feed(stream.batches(8), stop_and_wait=True,
                     frames_of=lambda sent: min(8 * sent, len(stream.frames)))
assert result.status == 0 and result.accepted == 2001 and result.out == stream.bytes
_, status = os.waitpid(child, 0)
assert status == 0, status
PY
}

@test "a name that another user has taken: one line, and FILE is written" {
	need_another_user
	python3 - <<'PY'
import os, socket, subprocess
from pipeline import DURABLE, Stream, ack_name, content
stream = Stream.of_sizes([400] * 100)
r, w = os.pipe()
squat = socket.socket(socket.AF_UNIX)
name = ack_name(w)
os.seteuid(65534)
squat.bind(name)
squat.listen()
os.seteuid(0)
p = subprocess.Popen([DURABLE, "e.bep"], stdin=r, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
os.close(r)
os.write(w, stream.bytes)
os.close(w)
assert p.wait(10) == 0
words = p.stderr.read().decode()
assert words.count("\n") == 1 and "give --ack-socket PATH to both sides: Address already in use" in words, words
assert content("e.bep") == stream.bytes
PY
}

@test "--ack-socket: a path that only we can connect to, gone at the end" {
	python3 - <<'PY'
import os, stat
from pipeline import Run, Stream
stream = Stream.of_sizes([400] * 100)
client = Run(["--ack-socket", "s", "e.bep"])
client.name = "s"
assert client.connect()
assert stat.S_IMODE(os.stat("s").st_mode) == 0o600
result = client.feed(stream.batches(8))
assert result.status == 0 and result.accepted == 101
assert not os.path.exists("s")
PY
}

@test "--ack-socket works where stdin is no pipe" {
	python3 - <<'PY'
import socket, subprocess
from pipeline import DURABLE, Stream, content
import struct, time
stream = Stream.of_sizes([400] * 100)
ours, theirs = socket.socketpair()
p = subprocess.Popen([DURABLE, "--ack-socket=s", "e.bep"], stdin=theirs, stdout=subprocess.DEVNULL)
theirs.close()
ack = socket.socket(socket.AF_UNIX)
while True:
    try:
        ack.connect("s")
        break
    except (FileNotFoundError, ConnectionRefusedError):
        time.sleep(0.01)
ours.sendall(stream.bytes)
number = 0
while number < 101:
    number = struct.unpack("<Q", ack.recv(8))[0]
ours.close()
assert p.wait(10) == 0
PY
}

@test "--ack-socket: a socket that a killed bep-durable left is replaced, anything else is not" {
	python3 - <<'PY'
import os, socket
from pipeline import Run
dead = socket.socket(socket.AF_UNIX)
dead.bind("s")
dead.close()
client = Run(["--ack-socket=s", "--force", "e.bep"])
client.name = "s"
assert client.connect()
second = Run(["--ack-socket=s", "f.bep"])
result = second.feed([])
assert result.status == 73 and result.err == "bep-durable: s: Address already in use\n", result.err
assert not os.path.exists("f.bep")
client.process.kill()
client.feed([])
assert os.path.exists("s")
client = Run(["--ack-socket=s", "--force", "e.bep"])
client.name = "s"
assert client.connect()
client.feed([])
open("s", "w").close()
result = Run(["--ack-socket=s", "--force", "e.bep"]).feed([])
assert result.status == 73 and os.path.isfile("s"), result.err
PY
	run bep-durable --ack-socket="$(printf 'x%.0s' {1..108})" f.bep </dev/null
	assert_failure 64
	run bep-durable --ack-socket= f.bep </dev/null
	assert_failure 64
}

@test "another user cannot connect to the path" {
	need_another_user
	python3 - <<'PY'
import os, socket
from pipeline import Run
client = Run(["--ack-socket=s", "e.bep"])
client.name = "s"
assert client.connect()
child = os.fork()
if child == 0:
    os.setresuid(65534, 65534, 65534)
    try:
        socket.socket(socket.AF_UNIX).connect(os.path.abspath("s"))
    except PermissionError:
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
client.feed([])
PY
}

@test "a tee between source and writer has another pipe" {
	python3 - <<'PY'
import os, socket, subprocess
from pipeline import DURABLE, LAST_MESSAGE, ack_name
r, w = os.pipe()
tee = subprocess.Popen(["tee", "copy"], stdin=r, stdout=subprocess.PIPE)
p = subprocess.Popen([DURABLE, "e.bep"], stdin=tee.stdout, stdout=subprocess.DEVNULL)
tee.stdout.close()
os.close(r)
while not os.path.exists("e.bep"):
    pass
try:
    socket.socket(socket.AF_UNIX).connect(ack_name(w))
    raise SystemExit("connected")
except ConnectionRefusedError:
    pass
os.write(w, LAST_MESSAGE)
os.close(w)
assert p.wait(10) == 0 and tee.wait(10) == 0
PY
}

@test "descriptors that run out end no capture" {
	run bash -c 'ulimit -n 9; bep-durable e.bep </dev/null | cat; exit ${PIPESTATUS[0]}'
	assert_failure 65
	python3 - <<'PY'
import socket, time
from pipeline import Run, Stream
stream = Stream.of_sizes([400] * 100)
client = Run(["--force", "e.bep"], wrap=["bash", "-c", 'ulimit -n 10; exec "$@"', "bash"])
client.connect()
others = []
for _ in range(20):
    other = socket.socket(socket.AF_UNIX)
    try:
        other.connect(client.name)
    except ConnectionRefusedError:
        break
    others.append(other)
result = client.feed(stream.batches(8))
assert result.status == 0, result.err
PY
}
