#!/usr/bin/python3
"""Joins coverage into one LCOV file, in the place of Bazel's own Java program.

--coverage_dir has gcov's JSON of one test; --reports_file lists the LCOV files of several.
"""
import collections
import gzip
import json
import pathlib
import sys


def read_gcov(path, wanted, lines, functions):
    with gzip.open(path) as packed:
        for file in json.load(packed)["files"]:
            if file["file"] not in wanted:
                continue
            for line in file["lines"]:
                lines[file["file"]][line["line_number"]] += line["count"]
            for function in file["functions"]:
                functions[file["file"]][function["start_line"], function["name"]] += function["execution_count"]


def read_lcov(path, lines, functions):
    source, starts = None, {}
    for row in path.read_text().splitlines():
        key, _, value = row.partition(":")
        if key == "SF":
            source, starts = value, {}
        elif key == "FN":
            line, name = value.split(",", 1)
            starts[name] = int(line)
        elif key == "FNDA":
            count, name = value.split(",", 1)
            functions[source][starts[name], name] += int(count)
        elif key == "DA":
            line, count = value.split(",")[:2]
            lines[source][int(line)] += int(count)


def write_lcov(out, lines, functions):
    for source in sorted(lines):
        print("SF:" + source, file=out)
        counts = sorted(functions[source].items())
        for (line, name), _ in counts:
            print("FN:%d,%s" % (line, name), file=out)
        for (_, name), count in counts:
            print("FNDA:%d,%s" % (count, name), file=out)
        print("FNF:%d\nFNH:%d" % (len(counts), sum(count > 0 for _, count in counts)), file=out)
        for line, count in sorted(lines[source].items()):
            print("DA:%d,%d" % (line, count), file=out)
        hit = sum(count > 0 for count in lines[source].values())
        print("LH:%d\nLF:%d\nend_of_record" % (hit, len(lines[source])), file=out)


def main():
    options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
    lines = collections.defaultdict(collections.Counter)
    functions = collections.defaultdict(collections.Counter)
    if "reports_file" in options:
        for name in pathlib.Path(options["reports_file"]).read_text().split():
            read_lcov(pathlib.Path(name), lines, functions)
    else:
        wanted = set(pathlib.Path(options["source_file_manifest"]).read_text().split())
        for path in pathlib.Path(options["coverage_dir"]).rglob("*.gcov.json.gz"):
            read_gcov(path, wanted, lines, functions)
    with open(options["output_file"], "w") as out:
        write_lcov(out, lines, functions)


if __name__ == "__main__":
    main()
