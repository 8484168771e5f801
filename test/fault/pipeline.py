"""What the fault drivers share: a stream of frames, and a client that feeds it to bep-durable as
bes-recv does, counts what is accepted on the back-channel, and reads stdout, or doesn't.

The one rule that every driver checks, whatever was done to bep-durable:

    FILE is a prefix of the stream and holds at least every frame that was accepted.

A prefix of the stream is whole frames and at most one torn tail.
"""

import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("BIN", TOP + "/build/bin")
DURABLE = BIN + "/bep-durable"
SANITIZED = "/san-" in BIN
LAST_MESSAGE = b"\x03\xa0\x01\x01"


def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def frame(size, seed=0):
    """A frame with a body of `size` bytes: one bytes field, or as much of one as fits."""
    body = random.Random(seed).randbytes(size)
    if size > 12:
        head = b"\x0a" + varint(size - 1 - len(varint(size)))
        body = head + body[len(head):]
    return varint(size) + body


class Stream:
    """Frames, and where each of them ends."""

    def __init__(self, frames):
        self.frames = frames
        self.bytes = b"".join(frames)
        self.ends = [0]
        for one in frames:
            self.ends.append(self.ends[-1] + len(one))

    @classmethod
    def of_sizes(cls, sizes):
        return cls([frame(size, i) for i, size in enumerate(sizes)] + [LAST_MESSAGE])

    def batches(self, events, first=0):
        for at in range(first, len(self.frames), events):
            yield b"".join(self.frames[at:at + events])

    def whole_in(self, length):
        """How many whole frames are in the first `length` bytes, and where they end."""
        count = max(i for i, end in enumerate(self.ends) if end <= length)
        return count, self.ends[count]


class Result:
    """status: exit status, or minus the signal; accepted: newest number, None where none came."""

    def __init__(self):
        self.status = None
        self.accepted = None
        self.out = bytearray()
        self.err = ""


def ack_name(fd):
    st = os.fstat(fd)
    return f"\0bep-ack-{os.geteuid()}-{st.st_dev}-{st.st_ino}"


class Run:
    """One bep-durable at work. `wrap` is put before its command line, `env` into its environment."""

    def __init__(self, args, wrap=(), env=None, path=DURABLE):
        self.result = Result()
        self.read_end, self.pipe = os.pipe()
        out_end, out = os.pipe()
        self.name = ack_name(self.pipe)
        self.stderr = tempfile.TemporaryFile()
        env = {**os.environ, **(env or {})}
        if "strace" in wrap:  # under which leaks cannot be looked for
            env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.process = subprocess.Popen([*wrap, path, *args], stdin=self.read_end, stdout=out,
                                        stderr=self.stderr, env=env)
        os.close(self.read_end)
        os.close(out)
        os.set_blocking(self.pipe, False)
        os.set_blocking(out_end, False)
        self.out = out_end
        self.ack = None
        self.part = b""

    def connect(self):
        """Until the first number has come, the writer is gone, or for 2 s. True: connected."""
        end = time.monotonic() + 2
        while self.process.poll() is None and time.monotonic() < end:
            self.ack = socket.socket(socket.AF_UNIX)
            try:
                self.ack.connect(self.name)
                self.ack.settimeout(2)
                self.take_numbers()
                if self.result.accepted is not None:
                    self.ack.setblocking(False)
                    return True
            except (ConnectionError, FileNotFoundError, TimeoutError):
                pass
            self.ack.close()
            self.ack = None
            time.sleep(0.002)
        return False

    def take_numbers(self):
        data = self.ack.recv(65536)
        if not data:
            raise ConnectionResetError
        data = self.part + data
        whole = len(data) // 8 * 8
        for (number,) in struct.iter_unpack("<Q", data[:whole]):
            if number < (self.result.accepted or 0):
                raise AssertionError(f"accepted went back to {number}")
            self.result.accepted = number
        self.part = data[whole:]

    def take_out(self):
        data = os.read(self.out, 1 << 20)
        self.result.out += data
        return bool(data)

    def feed(self, batches, sleep=False, stop_and_wait=False, frames_of=None, timeout=60):
        """Writes the batches, then closes. `sleep`: stdout is not read meanwhile. `stop_and_wait`:
        each batch waits for the acceptance of all before it; frames_of(i) says how many those are."""
        end = time.monotonic() + timeout
        todo = b""
        sent = 0
        batches = iter(batches)
        while self.pipe is not None or self.out is not None or self.ack is not None:
            if stop_and_wait and self.ack is None and self.pipe is not None:
                self.close_pipe()
            may_send = not stop_and_wait or (self.result.accepted or 0) >= frames_of(sent)
            if self.pipe is not None and not todo and may_send:
                todo = next(batches, None)
                sent += 1
                if todo is None:
                    self.close_pipe()
                else:
                    todo = memoryview(todo)
            readers = [] if sleep and self.pipe is not None or self.out is None else [self.out]
            if self.ack is not None:
                readers.append(self.ack)
            writers = [self.pipe] if self.pipe is not None and todo else []
            if not readers and not writers:
                break
            left = end - time.monotonic()
            ready, writable, _ = select.select(readers, writers, [], max(left, 0))
            if left <= 0:
                raise AssertionError("deadlock: nothing happens")
            if self.ack in ready:
                self.try_numbers()
            if self.out in ready and not self.take_out():
                os.close(self.out)
                self.out = None
            if writable:
                todo = self.try_write(todo)
        return self.finish()

    def try_numbers(self):
        try:
            self.take_numbers()
        except ConnectionError:
            self.ack.close()
            self.ack = None

    def try_write(self, todo):
        try:
            return todo[os.write(self.pipe, todo):]
        except BlockingIOError:
            return todo
        except BrokenPipeError:
            self.close_pipe()
            return None

    def close_pipe(self):
        os.close(self.pipe)
        self.pipe = None

    def finish(self):
        for fd in (self.pipe, self.out):
            if fd is not None:
                os.close(fd)
        if self.ack is not None:
            self.ack.close()
        self.pipe = self.out = self.ack = None
        try:
            self.result.status = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("it does not end")
        self.stderr.seek(0)
        self.result.err = self.stderr.read().decode(errors="replace")
        self.stderr.close()
        return self.result


def run(args, stream, first=0, batch=64, wrap=(), env=None, **how):
    """Feeds the frames of `stream` from number `first` on to a bep-durable, acknowledgements read."""
    client = Run(args, wrap, env)
    client.connect()
    return client.feed(stream.batches(batch, first), **how)


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def check(path, stream, result, where):
    """The rule; gives how many whole frames FILE holds."""
    data = content(path)
    accepted = result.accepted or 0
    if not stream.bytes.startswith(data):
        fail(where, f"{path} is no prefix of the stream")
    if len(data) < stream.ends[accepted]:
        fail(where, f"{accepted} frames were accepted, {path} has {len(data)} bytes of them")
    if not stream.bytes.startswith(bytes(result.out)):
        fail(where, "stdout is no prefix of the stream")
    if len(result.out) > stream.whole_in(len(data))[1]:
        fail(where, "stdout has what FILE has not")
    return stream.whole_in(len(data))[0]


def fail(where, what):
    raise AssertionError(f"{where}: {what}")


def preload(name, folder):
    """Compiles test/fault/NAME.c; gives the environment that loads it."""
    library = f"{folder}/{name}.so"
    flags = ["-DWITHOUT_ALLOC"] if SANITIZED else []
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", *flags, "-o", library,
                    f"{TOP}/test/fault/{name}.c"], check=True)
    options = os.environ.get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": library, "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0"}


SEED = int(os.environ.get("FAULT_SEED", random.randrange(1 << 30)))


def sample(points, step):
    """Every step-th point, from a random one on, so that each run looks at others."""
    return points[random.Random(SEED).randrange(step)::step] if step > 1 else points


def main(function):
    """function(folder, step): runs it in a folder of its own; says what failed and ends with 1."""
    step = 1
    args = sys.argv[1:]
    if args and args[0].startswith("--step="):
        step = int(args[0][7:])
    elif args:
        print(sys.modules["__main__"].__doc__.strip())
        sys.exit(0 if args[0] in ("-h", "--help") else 64)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with tempfile.TemporaryDirectory(prefix="bep-fault.") as folder:
        try:
            print(function(folder, step))
        except AssertionError as error:
            print(f"FAILED: {error}\nFAULT_SEED={SEED} repeats this sample")
            sys.exit(1)
