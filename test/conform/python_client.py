"""Drives mcp-front with the Python SDK: python_client.py MODE SERVER CONFIG WORKSPACE TARGET

MODE is auto, legacy or 2026-07-28. Lists the tools, builds TARGET, asks for the summary, and prints
one JSON line with what came back.
"""
import asyncio
import json
import sys

from mcp import StdioServerParameters
from mcp.client.client import Client


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


async def main(mode, server, config, workspace, target):
    progress = []

    async def on_progress(done, total, message):
        progress.append(done)

    parameters = StdioServerParameters(command=server, args=["--config", config])
    async with Client(parameters, mode=mode) as client:
        tools = (await client.list_tools()).tools
        run = next(t.name for t in tools if t.name in ("bazel_run", "bazel.run"))
        inspect = next(t.name for t in tools if t.name in ("bazel_inspect", "bazel.inspect"))
        arguments = {"workspace": workspace, "command": "build", "args": [target]}
        built = await client.call_tool(run, arguments, progress_callback=on_progress)
        listed = await client.call_tool(inspect, {"view": "invocations"})
        wrong = await client.call_tool(run, {"workspace": "/nonexistent", "command": "build"})
        print(json.dumps({
            "protocol": client.protocol_version,
            "tools": [t.name for t in tools],
            "text": texts(built),
            "structured": built.structured_content,
            "is_error": bool(built.is_error),
            "invocations": texts(listed),
            "wrong_is_error": bool(wrong.is_error),
            "progress_rises": progress == sorted(set(progress)),
            "progress": len(progress),
        }))


asyncio.run(main(*sys.argv[1:]))
