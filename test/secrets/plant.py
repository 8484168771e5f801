"""Secrets that can be recognised: each is made for one place, and no other text has eight of its characters.

A garden makes them (plant, dense), writes events that have one in every text field of Bazel's schema, and
says of any text which of its secrets it holds, whole or in part.
"""

import hashlib
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WINDOW = 8

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
HEX = "0123456789abcdef"

# kind -> (what stands before the secret part, the part's length and alphabet, what stands behind it)
KINDS = {
    "github": ("ghp_", 36, ALNUM, ""),
    "github_pat": ("github_pat_", 60, ALNUM, ""),
    "gitlab": ("glpat-", 20, ALNUM, ""),
    "aws": ("AKIA", 16, UPPER, ""),
    "slack": ("xoxb-", 40, ALNUM, ""),
    "slack_hook": ("https://hooks.slack.com/services/", 44, ALNUM, ""),
    "google": ("AIza", 35, ALNUM, ""),
    "google_oauth": ("ya29.", 60, ALNUM, ""),
    "google_secret": ("GOCSPX-", 28, ALNUM, ""),
    "openai": ("sk-proj-4", 48, ALNUM, ""),
    "stripe": ("sk_live_", 24, ALNUM, ""),
    "npm": ("npm_", 36, ALNUM, ""),
    "pypi": ("pypi-", 60, ALNUM, ""),
    "huggingface": ("hf_", 34, ALNUM, ""),
    "digitalocean": ("dop_v1_", 64, HEX, ""),
    "docker": ("dckr_pat_", 27, ALNUM, ""),
    "jwt": ("eyJhbGciOiJI.eyJ", 64, ALNUM, ".x"),
    "password": ("password=", 20, ALNUM, ""),
    "api_key": ("--api-key=", 24, ALNUM, ""),
    "variable": ("MY_APP_SECRET_KEY=", 24, ALNUM, ""),
    "query": ("http://h/p?access_token=", 24, ALNUM, "&x=1"),
    "json": ('{"client_secret": "', 24, ALNUM, '"}'),
    "url": ("https://user:", 20, ALNUM, "@host/path"),
    "url_token": ("https://", 24, ALNUM, "@host/path"),
    "bearer": ("Authorization: Bearer ", 32, ALNUM, ""),
    "basic": ("authorization: Basic ", 32, ALNUM, ""),
    "cookie": ("Cookie: session=", 32, ALNUM, ""),
    "own": ("ACME+", 16, UPPER, ""),
}
OWN_PATTERN = r"ACME\+[A-Z0-9]{16}"
# What may stand in a file's name, a label or an argument without quotes.
NAMES = ["github", "github_pat", "gitlab", "aws", "slack", "google", "stripe", "npm", "own"]
KEY = ("-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n")


def letters(seed, length, alphabet):
    out, block = "", 0
    while len(out) < length:
        digest = hashlib.sha256(("%s %d" % (seed, block)).encode()).digest()
        out += "".join(alphabet[byte % len(alphabet)] for byte in digest)
        block += 1
    return out[:length]


class Garden:
    def __init__(self, kinds=None):
        self.kinds = kinds or list(KINDS)
        self.parts = {}  # window -> (place, kind)
        self.count = 0

    def secret(self, place, kind):
        front, length, alphabet, end = KINDS[kind]
        body = letters("%s %d" % (place, self.count), length, alphabet)
        self.count += 1
        for at in range(len(body) - WINDOW + 1):
            self.parts[body[at : at + WINDOW]] = (place, kind)
        return front + body + end

    def plant(self, place, kinds=None):
        """One secret, of the kinds in turn."""
        kinds = [k for k in kinds or self.kinds if k in self.kinds]
        return self.secret(place, kinds[self.count % len(kinds)])

    def key(self, place, lines=20):
        """A private key."""
        text = KEY[0]
        for _ in range(lines):
            text += self.secret(place, "line") + "\n"
        return text + KEY[1]

    def dense(self, place, size, between=" "):
        """Hardly anything but secrets: wherever this is cut, it is likely to be in the middle of one."""
        text = ""
        while len(text) < size:
            text += self.plant(place) + between
        return text

    def found(self, text):
        """Places and kinds of the secrets of which `text` has eight characters in a row."""
        hits = {}
        for at in range(len(text) - WINDOW + 1):
            place = self.parts.get(text[at : at + WINDOW])
            if place:
                hits.setdefault(place, text[max(0, at - 60) : at + 30])
        return hits


KINDS["line"] = ("", 64, ALNUM, "")  # of a key; alone it cannot be recognised


# ---- events


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(event):
    return varint(len(event)) + event


def schema():
    """message -> [(repeated, type, name, number, oneof)], with the names as the .proto file nests them."""
    with open(TOP + "/proto/build_event_stream.proto", encoding="utf-8") as source:
        text = re.sub(r"//.*", "", source.read())
    messages, path = {}, []
    words = re.compile(
        r"(message|enum|oneof)\s+(\w+)\s*\{|(\})|(repeated\s+)?([\w.]+)\s+(\w+)\s*=\s*(\d+)\s*;|(\w+)\s*=\s*\d+\s*;"
    )
    for match in words.finditer(text[text.index("package") :]):
        kind, name, close, repeated, type_, member, number, _ = match.groups()
        if kind:
            path.append((kind, name))
            if kind == "message":
                messages[".".join(n for k, n in path if k == "message")] = []
        elif close:
            path.pop()
        elif type_ and path and path[-1][0] != "enum":
            owner = ".".join(n for k, n in path if k == "message")
            oneof = path[-1][1] if path[-1][0] == "oneof" else ""
            messages[owner].append((bool(repeated), type_, member, int(number), oneof))
    return messages


def resolve(messages, owner, type_):
    """The full name of a message type that is named inside `owner`; None: an enum or a number."""
    scope = owner.split(".")
    while True:
        name = ".".join(scope + [type_])
        if name in messages:
            return name
        if not scope:
            return None
        scope.pop()


class Filler:
    """Encodes messages with `text(path)` in every text field and every choice of every oneof in turn."""

    def __init__(self, text):
        self.messages = schema()
        self.text = text
        self.fields = 0

    def message(self, name, path, choice=0):
        out, oneofs = b"", {}
        for _, _, member, _, oneof in self.messages[name]:
            oneofs.setdefault(oneof, []).append(member)
        for repeated, type_, member, number, oneof in self.messages[name]:
            if oneof and oneofs[oneof][choice % len(oneofs[oneof])] != member:
                continue
            for turn in range(3 if repeated else 1):
                out += self.value(name, type_, number, path + "." + member, turn)
        return out

    def value(self, owner, type_, number, path, turn):
        if type_ == "bytes":
            self.fields += 1
            return field(number, self.text(path))
        if type_ == "bool":
            return field(number, 0 if path.endswith("success") else 1)
        inner = resolve(self.messages, owner, type_)
        return field(number, self.message(inner, path, turn) if inner else 1)

    def events(self):
        """One event for each payload, with the id of the same name where there is one."""
        ids = {m: (t, n) for _, t, m, n, _ in self.messages["BuildEventId"]}
        same = {"expanded": "pattern", "action": "action_completed", "completed": "target_completed",
                "configured": "target_configured", "finished": "build_finished", "named_set_of_files": "named_set",
                "workspace_info": "workspace", "aborted": "target_completed"}
        for _, type_, member, number, oneof in self.messages["BuildEvent"]:
            if oneof != "payload":
                continue
            id_type, id_number = ids[same.get(member, member)]
            event = field(1, field(id_number, self.message("BuildEventId." + id_type, member + ".id")))
            yield member, event + field(number, self.message(type_, member))
