#!/usr/bin/env python3
"""Puts a stdio MCP server behind Streamable HTTP on loopback: bridge.py PORT_FILE ALIASES COMMAND...

The conformance suite speaks HTTP only. One server process serves everything: request ids are made
unique on the way in and put back on the way out, and the answer goes out as one JSON object, or as an
event stream where a progress token was given. It checks the headers that the 2026-07-28 transport
wants checked, since those exist on HTTP only.
"""
import http.server
import itertools
import json
import queue
import subprocess
import sys
import threading

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = itertools.count(1)
        self.waiting = {}
        self.tokens = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message and "method" not in message:
                self.waiting.get(message["id"], queue.Queue()).put(message)
            elif message.get("method") == "notifications/progress":
                token = message["params"]["progressToken"]
                self.tokens.get(token, queue.Queue()).put(message)

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def ask(self, message):
        """Yields notifications, then the answer."""
        box = queue.Queue()
        mine, theirs = next(self.ids), message["id"]
        meta = (message.get("params") or {}).get("_meta") or {}
        self.waiting[mine] = box
        if "progressToken" in meta:
            self.tokens[meta["progressToken"]] = box
        self.send({**message, "id": mine})
        while True:
            got = box.get(timeout=30)
            if "id" in got:
                yield {**got, "id": theirs}
                return
            yield got


def fill(template, values):
    """The template with {name} in its strings replaced by the call's arguments."""
    if isinstance(template, str):
        return template.format_map({"seconds": 0, **values})
    if isinstance(template, list):
        return [fill(item, values) for item in template]
    if isinstance(template, dict):
        return {key: fill(item, values) for key, item in template.items()}
    return template


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, ident, code, message, status=400, **data):
        error = {"code": code, "message": message, **({"data": data} if data else {})}
        self.reply(status, json.dumps({"jsonrpc": "2.0", "id": ident, "error": error}).encode())

    def do_GET(self):
        self.reply(405)

    do_DELETE = do_GET

    def is_modern(self):
        """On HTTP the header tells the era of a request; on stdio only the request itself does."""
        return self.headers.get("MCP-Protocol-Version") == "2026-07-28"

    def header_fault(self, message):
        params = message.get("params") or {}
        version = (params.get("_meta") or {}).get(VERSION_KEY)
        if version is None:
            return None
        if self.headers.get("MCP-Protocol-Version") != version:
            return "MCP-Protocol-Version does not match the request"
        if self.headers.get("Mcp-Method") != message.get("method"):
            return "Mcp-Method does not match the request"
        name = params.get("name") or params.get("taskId")
        if name and self.headers.get("Mcp-Name", name) != name:
            return "Mcp-Name does not match the request"
        return None

    def do_POST(self):
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        origin = self.headers.get("Origin", "http://localhost")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if host not in ("localhost", "127.0.0.1") or not origin.startswith(("http://localhost", "http://127.0.0.1")):
            return self.reply(403)
        try:
            message = json.loads(body)
        except ValueError:
            return self.refuse(None, -32700, "Parse error")
        if "id" not in message or "method" not in message:
            self.server.front.send(message)
            return self.reply(202)
        if self.is_modern() and VERSION_KEY not in ((message.get("params") or {}).get("_meta") or {}):
            return self.refuse(message["id"], -32602, f"_meta lacks {VERSION_KEY}")
        fault = self.header_fault(message)
        if fault:
            return self.refuse(message["id"], -32020, fault)
        params = message.get("params") or {}
        alias = self.server.aliases.get(params.get("name")) if message["method"] == "tools/call" else None
        if alias:
            message["params"] = {**params, **fill(alias, params.get("arguments") or {})}
        answers = list(self.server.front.ask(message))
        if len(answers) > 1:
            events = "".join(f"event: message\ndata: {json.dumps(a)}\n\n" for a in answers)
            return self.reply(200, events.encode(), "text/event-stream")
        code = answers[0].get("error", {}).get("code")
        modern = VERSION_KEY in ((message.get("params") or {}).get("_meta") or {})
        status = {-32601: 404, -32602: 400, -32020: 400, -32021: 400, -32022: 400}.get(code, 200) if modern or code in (-32021, -32022) else 200
        return self.reply(status, json.dumps(answers[0]).encode())


def main():
    port_file, aliases, *command = sys.argv[1:]
    bridge = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    bridge.daemon_threads = True
    bridge.front = Server(command)
    with open(aliases) as text:
        bridge.aliases = json.load(text)
    with open(port_file, "w") as out:
        out.write(str(bridge.server_address[1]))
    bridge.serve_forever()


if __name__ == "__main__":
    main()
