"""usage: subset.py OURS BAZELS: whether each event of OURS says what the same line of BAZELS says, as far as it goes."""
import json
import re
import sys


def covered(ours, bazels, path):
    if isinstance(ours, dict):
        for key, value in ours.items():
            if key not in bazels:
                sys.exit(f"{path}.{key}: Bazel does not say {value!r}")
            covered(value, bazels[key], f"{path}.{key}")
    elif isinstance(ours, list):
        if len(ours) != len(bazels):
            sys.exit(f"{path}: {len(ours)} items, Bazel has {len(bazels)}")
        for i, (one, other) in enumerate(zip(ours, bazels)):
            covered(one, other, f"{path}[{i}]")
    elif isinstance(ours, str) and isinstance(bazels, str):
        # Control characters and escape sequences are left out of ours.
        if ours != re.sub("\x1b\\[[0-?]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", bazels):
            sys.exit(f"{path}: {ours!r}, Bazel says {bazels!r}")
    elif ours != bazels:
        sys.exit(f"{path}: {ours!r}, Bazel says {bazels!r}")


def key(event):
    return json.dumps(event["id"], sort_keys=True)


# The order of the two files may differ.
bazels = {}
for line in open(sys.argv[2], errors="replace").read().split("\n"):
    if line:
        event = json.loads(line)
        bazels.setdefault(key(event), []).append(event)
for number, line in enumerate(open(sys.argv[1]), 1):
    event = json.loads(line)
    if not bazels.get(key(event)):
        sys.exit(f"line {number}: Bazel has no event {event['id']}")
    covered(event, bazels[key(event)].pop(0), f"line {number}")
