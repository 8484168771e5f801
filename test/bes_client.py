#!/usr/bin/python3
"""A scripted Build Event Service client, independent of bes-recv's own code (Debian's python3-grpcio).

usage: bes_client.py ENDPOINT SCENARIO [ARGUMENT...]

A scenario is a function below. It ends with status 0 when the server did everything that it promises a
Bazel client, and with a traceback otherwise. Frames that FILE must hold afterwards are written to the
file named by $EXPECT.
"""

import os
import queue
import socket
import struct
import subprocess
import sys
import threading
import time

import grpc

SERVICE = "/google.devtools.build.v1.PublishBuildEvent/"
TYPE_URL = b"type.googleapis.com/build_event_stream.BuildEvent"
TIMEOUT = 30

# ---- protobuf by hand


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(message):
    """{number: last value} of varint and bytes fields."""
    at, out = 0, {}

    def number():
        nonlocal at
        n = shift = 0
        while True:
            byte = message[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            out[tag >> 3] = number()
        else:
            assert tag & 7 == 2, "only varint and bytes fields are expected"
            size = number()
            out[tag >> 3] = message[at:at + size]
            at += size
    return out


def bep(n, text=b"", last=False):
    """A BuildEvent: progress number n with `text` on stderr."""
    event = field(1, field(2, field(1, n))) + field(3, field(1, text))
    return event + (field(20, 1) if last else b"")


def bazel(event, url=TYPE_URL):
    return field(60, field(1, url) + field(2, event))


FINISHED = field(59, field(1, 1))


def stream_id(invocation="inv", build="build"):
    return field(1, build.encode()) + field(3, 3) + field(6, invocation.encode())


def request(number, event, sid=None):
    sid = stream_id() if sid is None else sid
    return field(4, (field(1, sid) if sid else b"") + field(2, number) + field(3, event))


# ---- the client


def target(endpoint):
    return endpoint.replace("grpc://", "")


def connect(endpoint, *options):
    options = [("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0),
               ("grpc.use_local_subchannel_pool", 1), *options]
    return grpc.insecure_channel(target(endpoint), options)


class Stream:
    """One PublishBuildToolEventStream."""

    def __init__(self, channel, sid=None, **how):
        self.sid = stream_id() if sid is None else sid
        self.requests = queue.Queue()
        method = channel.stream_stream(SERVICE + "PublishBuildToolEventStream")
        self.answers = method(iter(self.requests.get, None), timeout=TIMEOUT, **how)

    def send(self, number, event):
        self.requests.put(request(number, event, self.sid))

    def raw(self, message):
        self.requests.put(message)

    def half_close(self):
        self.requests.put(None)

    def acknowledged(self, *numbers):
        """The next answers are exactly these."""
        for number in numbers:
            answer = fields(next(self.answers))
            assert answer.get(2, 0) == number, f"acknowledged {answer.get(2)}, not {number}"
            assert answer.get(1, b"") == self.sid, "an answer names another stream"

    def ended(self, code=grpc.StatusCode.OK):
        """No answer comes any more, and this is the status."""
        try:
            for answer in self.answers:
                raise AssertionError(f"one more acknowledgement: {fields(answer)}")
        except grpc.RpcError:
            pass
        assert self.answers.code() == code, (self.answers.code(), self.answers.details())

    def finish(self, number):
        """Sends the end and takes everything that is still to come."""
        self.send(number, FINISHED)
        self.half_close()
        self.acknowledged(number)
        self.ended()


def expect(events):
    with open(os.environ["EXPECT"], "wb") as f:
        for event in events:
            f.write(varint(len(event)) + event)


def events(count, first=1, text=b"x" * 300):
    """`count` events, the last one with last_message."""
    return [bep(n, text, n == first + count - 1) for n in range(first, first + count)]


def send_all(stream, all_events, first=1):
    for n, event in enumerate(all_events, first):
        stream.send(n, bazel(event))


class Relay:
    """Between client and server: abort() resets both connections, as a broken network does."""

    def __init__(self, endpoint):
        host, port = target(endpoint).rsplit(":", 1)
        self.server = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "grpc://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.sockets = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            a = self.listener.accept()[0]
            b = socket.create_connection(self.server)
            self.sockets += [a, b]
            for source, sink in ((a, b), (b, a)):
                threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def copy(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def abort(self):
        for s in self.sockets:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            try:
                s.shutdown(socket.SHUT_RD)
            except OSError:
                pass
            s.close()
        self.sockets = []


# ---- scenarios


def whole(endpoint, count="500"):
    """One stream: an acknowledgement for each number, in order, then OK."""
    sent = events(int(count))
    expect(sent)
    s = Stream(connect(endpoint))
    send_all(s, sent)
    s.send(len(sent) + 1, FINISHED)
    s.half_close()
    s.acknowledged(*range(1, len(sent) + 2))
    s.ended()


def stop_and_wait(endpoint):
    """A client that sends the next event after the acknowledgement of the one before."""
    sent = events(200)
    expect(sent)
    s = Stream(connect(endpoint))
    for n, event in enumerate(sent, 1):
        s.send(n, bazel(event))
        s.acknowledged(n)
    s.finish(201)


def resume(endpoint):
    """Ten events, four acknowledgements seen, connection reset; it goes on from number 5."""
    sent = events(12)
    expect(sent)
    relay = Relay(endpoint)
    s = Stream(connect(relay.endpoint))
    send_all(s, sent[:10])
    s.acknowledged(*range(1, 11))  # the server has them; the client forgets 5 to 10
    relay.abort()
    s = Stream(connect(endpoint))
    send_all(s, sent[4:], 5)
    s.acknowledged(*range(5, 13))
    s.finish(13)


def restart(endpoint):
    """After a break everything is sent again from number 1."""
    sent = events(20)
    expect(sent)
    channel = connect(endpoint)
    s = Stream(channel)
    send_all(s, sent[:15])
    s.acknowledged(*range(1, 8))
    channel.close()
    s = Stream(connect(endpoint))
    send_all(s, sent)
    s.acknowledged(*range(1, 21))
    s.finish(21)


def only_finish(endpoint):
    """All acknowledgements were lost; only the end is sent again."""
    sent = events(20)
    expect(sent)
    relay = Relay(endpoint)
    s = Stream(connect(relay.endpoint))
    send_all(s, sent)
    s.acknowledged(*range(1, 21))
    s.send(21, FINISHED)
    s.acknowledged(21)
    relay.abort()
    Stream(connect(endpoint)).finish(21)


def gap(endpoint):
    """A missing number ends the call with a status that makes Bazel send again."""
    sent = events(6)
    expect(sent)
    channel = connect(endpoint)
    s = Stream(channel)
    send_all(s, sent[:3])
    s.send(5, bazel(sent[4]))
    s.acknowledged(1, 2, 3)
    s.ended(grpc.StatusCode.UNAVAILABLE)
    s = Stream(channel)
    send_all(s, sent[3:], 4)
    s.acknowledged(4, 5, 6)
    s.finish(7)


def first_is_missing(endpoint):
    """A stream that does not begin with 1 has a gap."""
    sent = events(2)
    expect(sent)
    channel = connect(endpoint)
    s = Stream(channel)
    s.send(2, bazel(sent[1]))
    s.ended(grpc.StatusCode.UNAVAILABLE)
    s = Stream(channel)
    send_all(s, sent)
    s.acknowledged(1, 2)
    s.finish(3)


def reconnect(endpoint, count="1000"):
    """A new call for each event, and now and then a new connection."""
    sent = events(int(count), text=b"")
    expect(sent)
    channel = connect(endpoint)
    for n, event in enumerate(sent, 1):
        s = Stream(channel)
        s.send(n, bazel(event))
        s.acknowledged(n)
        if n % 2:
            s.half_close()
            s.ended()
        else:
            s.answers.cancel()
        if n % 10 == 0:
            channel.close()
            channel = connect(endpoint)
    Stream(channel).finish(len(sent) + 1)


def sizes(endpoint, *lengths):
    """Events of these lengths, and a small one between them."""
    sent = []
    for n, length in enumerate(map(int, lengths), 1):
        event = bep(2 * n, b"x" * (length - 40))
        event += field(99, b"y" * (length - len(event) - 3))  # tag and length are 3 bytes
        assert len(event) == length, (len(event), length)
        sent += [event, bep(2 * n + 1)]
    sent[-1] = bep(0, last=True)
    expect(sent)
    s = Stream(connect(endpoint))
    send_all(s, sent)
    s.acknowledged(*range(1, len(sent) + 1))
    s.finish(len(sent) + 1)


def too_long(endpoint):
    """An event over --max-frame is acknowledged and missing; the others are there."""
    sent = [bep(1), bep(2, b"x" * 70000), bep(3, last=True)]
    expect([sent[0], sent[2]])
    s = Stream(connect(endpoint))
    send_all(s, sent)
    s.acknowledged(1, 2, 3)
    s.finish(4)


def gzip(endpoint):
    sent = events(50, text=b"abc" * 5000)
    expect(sent)
    s = Stream(connect(endpoint), compression=grpc.Compression.Gzip)
    send_all(s, sent)
    s.acknowledged(*range(1, 51))
    s.finish(51)


def call_lifecycle(channel, event_number=51):
    message = field(2, field(1, stream_id()) + field(2, 1) + field(3, field(event_number, b"")))
    assert channel.unary_unary(SERVICE + "PublishLifecycleEvent")(message, timeout=TIMEOUT) == b""


def lifecycle(endpoint):
    """Before, during and after the stream, whatever the request holds."""
    sent = events(3)
    expect(sent)
    channel = connect(endpoint)
    call_lifecycle(channel, 53)
    s = Stream(channel)
    s.send(1, bazel(sent[0]))
    s.acknowledged(1)
    call_lifecycle(channel)
    garbage = channel.unary_unary(SERVICE + "PublishLifecycleEvent")
    assert garbage(b"\xff\xff", timeout=TIMEOUT) == b""
    s.send(2, bazel(sent[1]))
    s.send(3, bazel(sent[2]))
    s.acknowledged(2, 3)
    s.finish(4)
    time.sleep(0.3)  # the server must not end before the last lifecycle call
    call_lifecycle(channel, 52)
    call_lifecycle(channel, 55)


def oddities(endpoint):
    """What is no event of Bazel's is acknowledged and not written."""
    garbage, last = b"\xff\xfe\x80", bep(9, last=True)
    expect([bep(1), garbage, bep(7), b"", last])
    s = Stream(connect(endpoint))
    steps = [
        bazel(bep(1)),
        b"",  # no event at all
        bazel(b"other", b"type.googleapis.com/google.protobuf.Struct"),
        bazel(b"other", b"build_event_stream.BuildEvent.not"),
        bazel(garbage),  # an Any of BEP's type is written as it came
        field(59, field(1, 2)),  # EXPIRED
        field(59, b""),
        field(51, b""),
        field(60, b""),  # an Any without anything
        bazel(bep(7), b""),  # no type: the field says it
        field(60, field(1, TYPE_URL)),  # an event of no bytes
        bazel(last),
    ]
    for n, event in enumerate(steps, 1):
        s.send(n, event)
    s.acknowledged(*range(1, len(steps) + 1))
    n = len(steps)
    s.send(n + 1, FINISHED)
    s.send(n + 2, bazel(bep(8)))  # after the end
    s.send(n + 3, FINISHED)
    s.half_close()
    s.acknowledged(n + 1, n + 2, n + 3)
    s.ended()


def no_protobuf(endpoint):
    """A request that can't be read has no number to acknowledge; the next stream is served."""
    sent = events(2)
    expect(sent)
    channel = connect(endpoint)
    s = Stream(channel)
    s.raw(b"\xff\xff\xff")
    s.ended(grpc.StatusCode.INVALID_ARGUMENT)
    s = Stream(channel)
    s.half_close()  # without any request
    s.ended()
    s = Stream(channel)
    send_all(s, sent)
    s.acknowledged(1, 2)
    s.finish(3)


def other_method(endpoint):
    sent = events(1)
    expect(sent)
    channel = connect(endpoint)
    try:
        channel.unary_unary("/google.devtools.build.v1.Other/Method")(b"", timeout=TIMEOUT)
        raise AssertionError("an unknown method was answered")
    except grpc.RpcError as e:
        assert e.code() == grpc.StatusCode.UNIMPLEMENTED, e.code()
    s = Stream(channel)
    send_all(s, sent)
    s.acknowledged(1)
    s.finish(2)


def other_invocation(endpoint, ours="inv"):
    """Another build's stream is acknowledged, from whatever number on, and dropped."""
    sent = events(4)
    expect(sent)
    channel = connect(endpoint)
    s = Stream(channel, stream_id(ours))
    if ours == "inv":  # the first one decides
        s.send(1, bazel(sent[0]))
        s.acknowledged(1)
    other = Stream(channel, stream_id("other", "other-build"))
    nobody = Stream(channel, b"")
    for n in (7, 8, 9):
        other.send(n, bazel(bep(n, b"other")))
        nobody.send(n, bazel(bep(n, b"nobody")))
    other.acknowledged(7, 8, 9)
    nobody.acknowledged(7, 8, 9)
    if ours != "inv":
        s.send(1, bazel(sent[0]))
        s.acknowledged(1)
    s.raw(request(2, bazel(bep(99)), stream_id("other")))  # on our call, but not our stream
    answer = fields(next(s.answers))
    assert answer[2] == 2, answer
    send_all(s, sent[1:], 2)
    s.acknowledged(2, 3, 4)
    other.finish(10)
    nobody.finish(10)
    s.finish(5)


def second_attempt(endpoint, invocation="inv"):
    """Bazel starts over by itself, under the same ids, or under the same build id only."""
    first, second = events(5), events(4, text=b"again")
    expect(first + second)
    channel = connect(endpoint)
    s = Stream(channel)
    send_all(s, first)
    s.acknowledged(*range(1, 6))
    s.finish(6)
    Stream(channel).finish(6)  # known: no new attempt
    again = Stream(channel)
    send_all(again, first)
    again.acknowledged(*range(1, 6))
    again.finish(6)
    s = Stream(channel, stream_id(invocation))
    send_all(s, second)
    s.acknowledged(*range(1, 5))
    s.finish(5)


def half_close_early(endpoint, writer):
    """The client has said everything before the writer (a pid) has accepted the last batch."""
    sent = events(100)
    expect(sent)
    s = Stream(connect(endpoint))
    s.send(1, bazel(sent[0]))
    s.acknowledged(1)
    subprocess.run(["kill", "-STOP", writer], check=True)
    send_all(s, sent[1:], 2)
    s.send(101, FINISHED)
    s.half_close()
    time.sleep(0.3)
    taken = threading.Event()
    threading.Thread(target=lambda: (s.acknowledged(2), taken.set()), daemon=True).start()
    assert not taken.wait(0.3), "acknowledged before the writer accepted"
    subprocess.run(["kill", "-CONT", writer], check=True)
    assert taken.wait(TIMEOUT)
    s.acknowledged(*range(3, 102))
    s.ended()


def writer_dies(endpoint, writer, wanted):
    """fail: FAILED_PRECONDITION. drain: everything is acknowledged. half-close: never an error."""
    sent = events(50)
    expect(sent[:10])
    channel = connect(endpoint)
    s = Stream(channel)
    send_all(s, sent[:10])
    s.acknowledged(*range(1, 11))
    if wanted == "half-close":
        subprocess.run(["kill", "-STOP", writer], check=True)
        send_all(s, sent[10:], 11)
        s.half_close()
        time.sleep(0.3)
    subprocess.run(["kill", "-KILL", writer], check=True)
    if wanted == "fail":
        s.ended(grpc.StatusCode.FAILED_PRECONDITION)
        s = Stream(channel)
        s.send(11, bazel(sent[10]))
        s.ended(grpc.StatusCode.FAILED_PRECONDITION)
        return
    if wanted == "drain":
        send_all(s, sent[10:], 11)
    s.acknowledged(*range(11, 51))
    if wanted == "drain":
        s.finish(51)
    s.ended()


def anything(endpoint):
    """--drain: every number of every stream."""
    channel = connect(endpoint)
    s = Stream(channel, stream_id("any"))
    for n in (41, 42, 43):
        s.send(n, bazel(bep(n)))
    s.acknowledged(41, 42, 43)
    s.finish(44)


def pings(endpoint):
    """Keepalive pings far more often than gRPC's servers like them, with and without a call."""
    sent = events(2)
    expect(sent)
    often = [("grpc.keepalive_time_ms", 50), ("grpc.keepalive_permit_without_calls", 1),
             ("grpc.http2.max_pings_without_data", 0),
             ("grpc.http2.min_time_between_pings_ms", 10)]
    channel = connect(endpoint, *often)
    call_lifecycle(channel, 55)
    time.sleep(1)
    s = Stream(channel)
    s.send(1, bazel(sent[0]))
    s.acknowledged(1)
    time.sleep(2)
    s.send(2, bazel(sent[1]))
    s.acknowledged(2)
    s.finish(3)


def refused(endpoint):
    """For a stranger: the connection ends and nothing is acknowledged."""
    s = Stream(connect(endpoint), stream_id("stranger"))
    s.send(1, bazel(bep(1, b"stranger")))
    s.half_close()
    s.ended(grpc.StatusCode.UNAVAILABLE)


def until_dead(endpoint, report, count="1000000000"):
    """Streams until the server dies, or `count` events; writes the last acknowledged number to the file `report`."""
    s = Stream(connect(endpoint))
    acknowledged = 0

    def feed():
        for n in range(1, int(count) + 1):
            while n - acknowledged > 2000:
                time.sleep(0.001)
            s.send(n, bazel(bep(n, b"x" * 300, n == int(count))))
        s.send(int(count) + 1, FINISHED)
        s.half_close()

    threading.Thread(target=feed, daemon=True).start()
    try:
        for answer in s.answers:
            acknowledged += 1
            assert fields(answer)[2] == acknowledged
            if acknowledged == 1:
                print("streaming", flush=True)
    except grpc.RpcError:
        pass
    with open(report, "w", encoding="ascii") as f:
        f.write(str(acknowledged))
    os._exit(0)


def concurrent(endpoint, count, folder):
    """`count` streams at once, each with ids of its own; what is expected goes to folder/ID.want."""
    channel = connect(endpoint)

    def one(i):
        name = f"inv-{i}"
        sent = events(40 + i, text=name.encode())
        with open(f"{folder}/{name}.want", "wb") as f:
            f.write(b"".join(varint(len(e)) + e for e in sent))
        s = Stream(channel if i % 2 else connect(endpoint), stream_id(name, f"build-{i}"))
        send_all(s, sent)
        s.acknowledged(*range(1, len(sent) + 1))
        s.finish(len(sent) + 1)
        good.append(i)

    good = []
    threads = [threading.Thread(target=one, args=(i,)) for i in range(int(count))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(good) == int(count), f"{len(good)} of {count} streams were served"


def known(endpoint):
    """A finished build is remembered: all its numbers are acknowledged again."""
    channel = connect(endpoint)
    s = Stream(channel)
    send_all(s, events(12))
    s.acknowledged(*range(1, 13))
    s.finish(13)


def no_name(endpoint):
    """Ids that are no name for a file: acknowledged and dropped."""
    channel = connect(endpoint)
    for sid in (stream_id("../x"), stream_id("a b"), stream_id(""), stream_id("x" * 129),
                stream_id("ok", "a/b")):
        s = Stream(channel, sid)
        s.send(1, bazel(bep(1)))
        s.acknowledged(1)
        s.finish(2)


def failing_command(endpoint):
    s = Stream(connect(endpoint), stream_id("bad"))
    s.send(1, bazel(bep(1)))
    s.ended(grpc.StatusCode.FAILED_PRECONDITION)


def count_frames(_, path):
    """Prints how many whole frames the file `path` holds."""
    with open(path, "rb") as f:
        data = f.read()
    at = count = 0
    while at < len(data):
        size = shift = 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        at += size
        count += at <= len(data)
    print(count)


def main():
    if len(sys.argv) < 3 or not callable(globals().get(sys.argv[2].replace("-", "_"))):
        sys.exit(__doc__)
    globals()[sys.argv[2].replace("-", "_")](sys.argv[1], *sys.argv[3:])


if __name__ == "__main__":
    main()
