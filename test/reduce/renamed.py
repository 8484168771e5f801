#!/usr/bin/env python3
"""usage: renamed.py CORPUS BIN [N]: whether N (20) labelled recordings score the same when the user's words in them are others.

Every label, file name, identifier and message word that the labels name is replaced throughout a recording by another of
the same length (so that frames stay whole), unless the word belongs to tools: it stands in many recordings.
"""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
PARTS = ("events.bep", "stdout.txt", "stderr.txt")


def texts(case):
    return [f for f in case.rglob("*") if f.is_file() and f.suffix != ".json" and f.name != "exit.code"]


def words_of(case):
    return set(w for f in texts(case) for w in WORD.findall(f.read_bytes()))


def user_words(truth):
    """Words of labels and paths, and what stands between quotes in messages or looks like a marker."""
    found, tools = set(), set()
    for root in truth.get("roots", []):
        for text in (root.get("target") or "", root.get("path") or ""):
            found.update(WORD.findall(re.sub(r"\.[a-z+]+$", "", text).encode()))
        # A word that a message has outside of quotes and labels is the tool's, whatever the user calls a target.
        plain = re.sub(r"['\"`‘“][^'\"`’”]+['\"`’”]|//\S+", " ", root["message"])
        tools.update(w for w in WORD.findall(plain.encode()) if w.islower() and b"_" not in w)
        for quoted in re.findall(r"['\"`‘“]([^'\"`’”]+)['\"`’”]", root["message"]):
            found.update(WORD.findall(quoted.encode()))
        found.update(w for w in WORD.findall(root["message"].encode()) if w.isupper() or b"_" in w)
    for label in truth.get("targets", {}).get("failed") or []:
        found.update(WORD.findall(label.encode()))
    for test in truth.get("tests", []):
        found.update(WORD.findall(test["label"].encode()))
    return found - tools


def other(word):
    """The same length and shape: letters thirteen further, underscores and suffixes such as _test kept."""
    kept = re.search(rb"(_test|Test|test)$", word)
    end = kept.group() if kept else b""
    turned = bytes((b - 97 + 13) % 26 + 97 if 97 <= b <= 122 else (b - 65 + 13) % 26 + 65 if 65 <= b <= 90 else b
                   for b in word[:len(word) - len(end)])
    return turned + end


def rename(case, words, to):
    table = {w: other(w) for w in words}

    def replace(data):
        return WORD.sub(lambda m: table.get(m.group(), m.group()), data)

    shutil.copytree(case, to)
    for f in [f for f in to.rglob("*") if f.is_file()]:
        if f.name == "command.json" or f.name == "exit.code":
            continue
        f.write_bytes(replace(f.read_bytes()))
    for f in sorted(to.rglob("*"), key=lambda f: -len(f.parts)):
        new = replace(f.name.encode()).decode()
        if new != f.name and f.name not in PARTS:
            f.rename(f.with_name(new))
    # Keys and values of the labels' own vocabulary are not the user's.
    truth = json.loads((case / "truth.json").read_text())
    for root in truth.get("roots", []):
        for key in ("message", "path", "target"):
            if root.get(key):
                root[key] = replace(root[key].encode()).decode()
    for part in ("failed", "succeeded", "skipped"):
        if truth.get("targets", {}).get(part):
            truth["targets"][part] = [replace(t.encode()).decode() for t in truth["targets"][part]]
    for test in truth.get("tests", []):
        test["label"] = replace(test["label"].encode()).decode()
    (to / "truth.json").write_text(json.dumps(truth))


def score(corpus, folders, binary):
    done = subprocess.run([sys.executable, corpus / "score.py", "--bin", binary, *folders], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    report = json.loads(lines[-1])
    report.pop("summary_bytes")
    return report, lines[:-1]


corpus, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
cases = [t.parent for t in sorted(corpus.rglob("truth.json"))]
known = [words_of(c) for c in cases]
with_roots = [i for i, c in enumerate(cases) if json.loads((c / "truth.json").read_text()).get("roots")]
chosen = random.Random(5).sample(with_roots, min(count, len(with_roots)))
with tempfile.TemporaryDirectory() as folder:
    renamed, changed = [], 0
    for i in chosen:
        words = {w for w in user_words(json.loads((cases[i] / "truth.json").read_text()))
                 if sum(w in k for k in known) <= len(cases) // 8}
        changed += len(words)
        to = pathlib.Path(folder) / f"{i}"
        rename(cases[i], words, to)
        renamed.append(to)
    before, _ = score(corpus, [cases[i] for i in chosen], binary)
    after, short = score(corpus, renamed, binary)
print(f"{len(chosen)} recordings, {changed} words: {json.dumps(after)}")
if before != after:
    print(f"before: {json.dumps(before)}")
    print("\n".join(re.sub(r"^.*/(\d+):", lambda m: f"{cases[int(m.group(1))]}:", line) for line in short))
    sys.exit(1)
