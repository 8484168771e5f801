"""What the benchmarks share: statistics, fair order, streams, processes, MCP servers, workspaces, the report."""

import argparse
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "test"))
import mcp_client  # noqa: E402
import stand_in  # noqa: E402

BIN = os.environ.get("BIN") or os.path.join(TOP, "build/bin")
BENCH_BIN = os.path.join(os.path.dirname(os.path.abspath(BIN)), "bench")
TICKS = os.sysconf("SC_CLK_TCK")


def parser(doc):
    """A parser of options whose --help begins with a benchmark's own words."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def report(name, **members):
    """Prints the one JSON report, a list of numbers in one line."""
    text = json.dumps({"schema_version": 1, "benchmark": name, **members}, indent=2)
    print(re.sub(r"\[[-\d.,\s]*\]", lambda numbers: re.sub(r"\s+", " ", numbers.group()), text))


# ---- statistics


def percentile(samples, q):
    ordered = sorted(samples)
    return ordered[round((len(ordered) - 1) * q)]


def median(samples):
    ordered = sorted(samples)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def describe(samples):
    return {
        "median_ms": round(median(samples), 3),
        "p95_ms": round(percentile(samples, 0.95), 3),
        "mean_ms": round(sum(samples) / len(samples), 3),
        "samples_ms": [round(s, 3) for s in samples],
    }


def bootstrap(samples, statistic=median, resamples=4000, seed=1):
    """The 95 % percentile interval of a statistic: always the same for the same samples."""
    draw = random.Random(seed)
    values = [statistic(draw.choices(samples, k=len(samples))) for _ in range(resamples)]
    return [round(percentile(values, 0.025), 3), round(percentile(values, 0.975), 3)]


def paired(samples, base):
    """How much longer each sample took than its neighbour of the same round."""
    differences = [a - b for a, b in zip(samples, base)]
    return {
        "median_ms": round(median(differences), 3),
        "mean_ms": round(sum(differences) / len(differences), 3),
        "median_interval_ms": bootstrap(differences),
        "pairs": len(differences),
    }


def multiple(samples, base):
    """The ratio of two medians, with the interval of the ratio of the pairs."""
    return {
        "median": round(median(samples) / median(base), 3),
        "interval": bootstrap([a / b for a, b in zip(samples, base)]),
    }


def rounds(ways, warmups, samples, sample):
    """Calls sample(way) in rotated order; gives {way: [value, …]} of all but the warm-ups."""
    values = {way: [] for way in ways}
    for number in range(warmups + samples):
        turn = number % len(ways)
        for way in ways[turn:] + ways[:turn]:
            value = sample(way)
            if number >= warmups:
                values[way].append(value)
    return values


# ---- streams of events


def recording():
    """A recorded test run of 158 events; the largest one of ours where the labelled recordings are not beside us."""
    labelled = os.path.normpath(os.path.join(TOP, "../shared/corpus/bazel-9.1.0/test-outcomes/events.bep"))
    ours = glob.glob(os.path.join(TOP, "test/corpus/*/events.bep"))
    return labelled if os.path.exists(labelled) else max(ours, key=os.path.getsize)


def memory_root():
    """A folder on tmpfs, where the machine has one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else tempfile.gettempdir()


def file_system(folder):
    """Its type, as stat(1) names it."""
    command = ["stat", "--file-system", "--format=%T", folder]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    """A protobuf field of bytes."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def frame(event):
    return varint(len(event)) + event


def frames(data):
    """The frames of a stream, each with its length in front."""
    return (whole for whole, _ in stand_in.frames(data))


STARTED = frame(field(1, field(3, b"")) + field(5, field(1, b"u") + field(7, b"/ws")))
FAILED = frame(
    field(1, field(9, b"")) + field(14, field(3, field(1, b"BUILD_FAILURE") + b"\x10\x01")) + b"\xa0\x01\x01")


def failed_actions(count, console=True):
    """A stream of failed compilations with one error each, told by the events and by the console."""
    yield STARTED
    for i in range(count):
        label = b"//p%d:t" % (i // 100)
        error = b"p%d/f%d.cc:%d:5: error: 'v%d' was not declared in this scope\n" % (i // 100, i, i % 900 + 1, i)
        stderr = field(4, field(1, b"stderr") + field(3, error))
        yield frame(field(1, field(6, field(2, label))) + field(7, b"\x10\x01" + stderr + field(8, b"CppCompile")))
        header = b"ERROR: /ws/p%d/BUILD:%d:3: Compiling p%d/f%d.cc failed: (Exit 1): gcc failed\n" % (
            i // 100, i % 100 + 1, i // 100, i)
        if console:
            yield frame(field(1, field(2, b"")) + field(3, field(2, header + error)))
    yield FAILED


# ---- processes


def spawn(argv, descriptors=()):
    """Starts a program as cheaply as Python can. descriptors: (ours, the child's) pairs."""
    actions = [(os.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in descriptors]
    return os.posix_spawn(argv[0], argv, os.environ, file_actions=actions, setsigdef=[signal.SIGPIPE])


def status_kib(pid, key):
    """VmHWM or VmRSS of a living process."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        for line in status:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    raise SystemExit(f"no {key} of process {pid}")


def cpu_ms(pid):
    """Processor time of a process and of its children that have ended."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return sum(int(ticks) for ticks in fields[11:15]) * 1000 / TICKS


class Measured:
    """A program whose peak memory GNU time keeps: a child's own peak begins with that of the process that
    forks it, and Python's is large."""

    def __init__(self, argv, **popen):
        self.peak = tempfile.NamedTemporaryFile("r", encoding="utf-8")
        self.name = os.path.basename(argv[0])
        self.process = subprocess.Popen(["time", "-f", "%M %e", "-o", self.peak.name] + argv, **popen)

    def end(self):
        """Waits; {"peak_kib", "seconds"}."""
        if self.process.wait():
            raise SystemExit(f"{self.name} ended with {self.process.returncode}")
        kib, seconds = self.peak.read().split()
        self.peak.close()
        return {"peak_kib": int(kib), "seconds": float(seconds)}


# ---- mcp-front and Bazel


class Server(mcp_client.Client):
    """mcp-front with a configuration of its own in `folder`."""

    def __init__(self, folder, executable=None, **config):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, "config.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"cache_root": os.path.join(folder, "store"), **config}, out)
        program = executable or os.path.join(BIN, "mcp-front")
        super().__init__([program, "--config", path], timeout=600)
        self.initialize(name="bench")

    def text(self, tool, **arguments):
        """A tool's answer as the text that a model reads; any kind of answer will do."""
        return mcp_client.text_of(self.call(tool, **arguments))


def copy_workspace(source, folder):
    shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns("bazel-*"))
    return folder


class Root:
    """A temporary folder; Bazel's servers in it end with it."""

    def __init__(self, parent=None):
        self.folder = tempfile.mkdtemp(prefix="bench.", dir=parent)
        self.bazel_root = os.path.join(self.folder, "bazel")

    def __enter__(self):
        return self

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def __exit__(self, *_):
        for folder in os.scandir(self.bazel_root) if os.path.isdir(self.bazel_root) else []:
            end_bazel(os.path.join(folder.path, "server/server.pid.txt"))
        subprocess.run(["chmod", "-R", "u+w", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def end_bazel(pid_file):
    if not os.path.exists(pid_file):
        return
    with open(pid_file, encoding="utf-8") as text:
        pid = int(text.read())
    try:
        os.kill(pid, signal.SIGTERM)
        for _ in range(500):
            os.kill(pid, 0)
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def find_bazel():
    return shutil.which("bazelisk") or shutil.which("bazel")
