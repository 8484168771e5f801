"""What the stand-ins for Bazel have in common: a recorded stream, and the two ways to send it."""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDING = os.path.join(HERE, "corpus/cc-compile/events.bep")
ATTEMPTS = 20


def flag(name):
    """The value of the last --NAME=VALUE; None without one."""
    return next((a.split("=", 1)[1] for a in reversed(sys.argv) if a.startswith(name + "=")), None)


def frames(data):
    """Each frame with its length before it, as (whole, body)."""
    at = 0
    while at < len(data):
        start, size, shift = at, 0, 0
        while True:
            byte = data[at]
            size |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        yield data[start:at + size], data[at:at + size]
        at += size


def recording():
    with open(RECORDING, "rb") as file:
        return list(frames(file.read()))


def write(path, events, seconds=0.0):
    """To a file or a FIFO, within about so many seconds."""
    with open(path, "wb", buffering=0) as out:
        for whole, _ in events:
            out.write(whole)
            time.sleep(seconds / len(events))


def upload(endpoint, events, seconds=0.0, invocation="inv", build="build"):
    """
    A whole stream and its end. A broken connection is made again and what was not acknowledged is sent
    again, as Bazel does. False: that never worked.
    """
    import grpc  # pylint: disable=import-outside-toplevel # only here: it takes its time
    import bes_client as bes  # pylint: disable=import-outside-toplevel

    pieces = [bes.bazel(body) for _, body in events] + [bes.FINISHED]
    acknowledged = 0
    for _ in range(ATTEMPTS):
        try:
            stream = bes.Stream(bes.connect(endpoint), bes.stream_id(invocation, build))
            for number in range(acknowledged + 1, len(pieces) + 1):
                stream.send(number, pieces[number - 1])
                time.sleep(seconds / len(pieces))
            stream.half_close()
            while acknowledged < len(pieces):
                stream.acknowledged(acknowledged + 1)
                acknowledged += 1
            return True
        except (grpc.RpcError, StopIteration):
            time.sleep(0.05)
    return False
