// Drives mcp-front with the TypeScript SDK 1.x, tasks of 2025-11-25 included:
// ts1_client.mjs SERVER CONFIG WORKSPACE TARGET. Prints one JSON line with what came back.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [server, config, workspace, target] = process.argv.slice(2);
const transport = new StdioClientTransport({ command: server, args: ["--config", config] });
const client = new Client({ name: "conform-ts1", version: "1" }, { capabilities: {} });
await client.connect(transport);
const { tools } = await client.listTools();
const run = tools.find((t) => /^bazel[._]run$/.test(t.name));
const params = { name: run.name, arguments: { workspace, command: "build", args: [target] } };

const direct = await client.callTool(params);
const seen = [];
let viaTask;
const stream = client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: { ttl: 60000 } });
for await (const message of stream) {
  seen.push(message.type);
  if (message.type === "result") viaTask = message.result;
  if (message.type === "error") throw message.error;
}
const wrong = await client.callTool({ name: run.name, arguments: { workspace: "/nonexistent", command: "build" } });
await client.close();
console.log(JSON.stringify({
  tools: tools.map((t) => t.name),
  taskSupport: run.execution?.taskSupport,
  text: direct.content.map((c) => c.text),
  structured: direct.structuredContent ?? null,
  task: viaTask.content.map((c) => c.text),
  messages: seen,
  wrongIsError: Boolean(wrong.isError),
}));
