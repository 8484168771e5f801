#!/usr/bin/env python3
"""A small MCP client for the tests: one JSON-RPC message a line, over a server's stdin and stdout.

As a program it sends the messages of its standard input (one a line) to SERVER, waits until every
request is answered, and prints what came back:

    mcp_client.py [--timeout S] [--keep-open S] -- SERVER ARGUMENT... < messages

As a module: Client(argv).request(method, params) -> message; .call(tool, **arguments) -> result.
"""

import json
import os
import select
import subprocess
import sys
import time


class Client:
    """Starts a server and talks to it. Messages that answer nothing are kept in .others."""

    def __init__(self, argv, timeout=120, **popen):
        self.timeout = timeout
        self.next_id = 0
        self.others = []
        self.answers = {}
        self.rest = b""
        self.server = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **popen
        )

    def send_bytes(self, data):
        self.server.stdin.write(data)

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def receive(self, timeout=None):
        """The next message; None at the end of the server's output."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        fd = self.server.stdout.fileno()
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                raise TimeoutError("no message from the server")
            data = os.read(fd, 65536)
            if not data:
                return None
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line.decode("utf-8"))

    def start(self, method, params=None, ident=None):
        """Sends a request and gives its id."""
        if ident is None:
            ident = self.next_id
            self.next_id += 1
        message = {"jsonrpc": "2.0", "id": ident, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return ident

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def wait(self, ident, timeout=None):
        """The answer to a request."""
        while ident not in self.answers:
            message = self.receive(timeout)
            if message is None:
                raise EOFError("the server has closed its output")
            if "id" in message and ("result" in message or "error" in message):
                self.answers[message["id"]] = message
            else:
                self.others.append(message)
        return self.answers.pop(ident)

    def request(self, method, params=None, timeout=None):
        return self.wait(self.start(method, params), timeout)

    def initialize(self, version="2025-11-25", name="test"):
        answer = self.request(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": name, "version": "1"},
            },
        )
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, tool, timeout=None, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, timeout)["result"]

    def close(self, timeout=10):
        """Ends the server's input and gives its exit status."""
        self.server.stdin.close()
        return self.server.wait(timeout)


def text_of(result):
    return result["content"][0]["text"]


def main(argv):
    timeout, keep_open = 120.0, 0.0
    while argv and argv[0] != "--":
        option, value = argv[0], float(argv[1])
        argv = argv[2:]
        if option == "--timeout":
            timeout = value
        elif option == "--keep-open":
            keep_open = value
        else:
            sys.exit(f"unknown option {option}")
    client = Client(argv[1:], timeout)
    waiting = 0
    for line in sys.stdin.buffer:
        client.send_bytes(line if line.endswith(b"\n") else line + b"\n")
        try:
            message = json.loads(line)
            waiting += isinstance(message, dict) and "id" in message and "method" in message
        except ValueError:
            waiting += 1
    while waiting:
        message = client.receive()
        if message is None:
            break
        print(json.dumps(message, ensure_ascii=False), flush=True)
        waiting -= not isinstance(message, dict) or "method" not in message
    time.sleep(keep_open)
    sys.exit(client.close())


if __name__ == "__main__":
    main(sys.argv[1:])
