"""usage: huge.py KIND: a complete stream with one event of 100 MB of that kind, on stdout."""
import sys

SIZE = 100_000_000


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def frame(body):
    return varint(len(body)) + body


file = field(1, b"name") + field(2, b"file:///x/y")
many = lambda number, item: field(number, item) * (SIZE // (len(item) + 6))
label = field(1, b"//a:b")
events = {
    "progress": lambda: field(3, field(2, b"[1 / 2] x\nline of text\n" * (SIZE // 23))),
    "set": lambda: field(1, field(13, field(1, b"0"))) + field(15, many(1, file)),
    "target": lambda: field(1, field(5, label)) + field(8, b"\x08\x01" + many(4, file)),
    "action": lambda: field(1, field(6, field(2, b"//a:b"))) + field(7, many(9, b"argument") + field(8, b"Genrule")),
    "test": lambda: field(1, field(8, label)) + field(10, b"\x28\x04" + many(2, file)),
    "aborted": lambda: field(1, field(5, label)) + field(4, b"\x08\x06" + field(2, b"x" * SIZE)),
    "options": lambda: field(1, field(12, b"")) + field(13, many(3, b"--option=value")),
}
last = field(1, field(9, b"")) + field(14, field(3, field(1, b"BUILD_FAILURE") + b"\x10\x01")) + b"\xa0\x01\x01"
first = field(1, field(3, b"")) + field(5, field(1, b"u"))
sys.stdout.buffer.write(frame(first) + frame(events[sys.argv[1]]()) + frame(last))
