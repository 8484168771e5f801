// Drives mcp-front with the TypeScript client 2.x: ts2_client.mjs MODE SERVER CONFIG WORKSPACE TARGET
// MODE is auto, legacy or 2026-07-28. Prints one JSON line with what came back.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [mode, server, config, workspace, target] = process.argv.slice(2);
const negotiation = mode === "2026-07-28" ? { pin: mode } : mode;
const transport = new StdioClientTransport({ command: server, args: ["--config", config] });
const client = new Client({ name: "conform-ts2", version: "1" }, { versionNegotiation: { mode: negotiation } });
await client.connect(transport);
const { tools } = await client.listTools();
const run = tools.find((t) => /^bazel[._]run$/.test(t.name)).name;
const progress = [];
const built = await client.callTool(
  { name: run, arguments: { workspace, command: "build", args: [target] } },
  { onprogress: (p) => progress.push(p.progress) },
);
const wrong = await client.callTool({ name: run, arguments: { workspace: "/nonexistent", command: "build" } });
await client.close();
console.log(JSON.stringify({
  tools: tools.map((t) => t.name),
  text: built.content.map((c) => c.text),
  structured: built.structuredContent ?? null,
  wrongIsError: Boolean(wrong.isError),
  progressRises: progress.every((p, i) => i === 0 || p > progress[i - 1]),
}));
