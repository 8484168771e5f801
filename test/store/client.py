#!/usr/bin/env python3
"""Calls tools of one mcp-front, one after the other, and prints each answer's text.

usage: client.py [--config FILE] TOOL=JSON...      for example bazel_run='{"command": "build"}'

A {id} in JSON becomes the invocation of the last bazel_run. --parallel N TOOL=JSON: N such calls at once,
in which {n} becomes 0, 1, 2…
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from mcp_client import Client  # noqa: E402


def text_of(message):
    if "result" not in message:
        return "error: " + message["error"]["message"]
    return "\n".join(block["text"] for block in message["result"]["content"])


def call(client, tool, arguments):
    return text_of(client.request("tools/call", {"name": tool, "arguments": arguments}))


def main():
    arguments, options, parallel = sys.argv[1:], [], 0
    while arguments and arguments[0].startswith("--"):
        if arguments[0] == "--parallel":
            parallel = int(arguments[1])
        else:
            options += arguments[:2]
        arguments = arguments[2:]
    client = Client([os.environ["BIN"] + "/mcp-front"] + options)
    client.request(
        "initialize",
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    )
    ident = ""
    for argument in arguments:
        tool, _, text = argument.partition("=")
        if parallel:
            values = [json.loads(text.replace("{n}", str(n))) for n in range(parallel)]
            idents = [client.start("tools/call", {"name": tool, "arguments": v}) for v in values]
            for one in idents:
                print(text_of(client.wait(one)))
            continue
        answer = call(client, tool, json.loads(text.replace("{id}", ident)))
        found = re.search(r'invocation_id: "?([0-9a-f-]{36})', answer)
        if tool == "bazel_run" and found:
            ident = found.group(1)
        print(answer)
    client.server.stdin.close()
    sys.exit(client.server.wait())


if __name__ == "__main__":
    main()
