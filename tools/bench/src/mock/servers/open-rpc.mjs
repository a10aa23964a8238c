import { once } from "node:events";
import { createServer } from "node:net";
import mockServer from "@open-rpc/mock-server/build/index.js";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { reportCpu } from "./cpu-reporter.mjs";

// This server does not support port 0.
const probe = createServer().listen(0, "127.0.0.1");
await once(probe, "listening");
const { port } = probe.address();
probe.close();
await once(probe, "close");

// This server cannot resolve references between schemas; without schemas it still answers with examples.
const methods = document.methods.map((method) => ({
  ...method,
  params: method.params.map((param) => ({ ...param, schema: { type: "object" } })),
  result: { ...method.result, schema: { type: "object" } },
  errors: [],
}));
const { info, openrpc } = document;
console.log = () => undefined;
// A batch that contains null, or deeply nested params, would crash this server.
process.on("uncaughtException", () => undefined);
await mockServer.default(port, { openrpc, info, methods }).start();
reportCpu(`http://127.0.0.1:${port}`);
