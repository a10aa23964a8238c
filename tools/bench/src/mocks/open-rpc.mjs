import { once } from "node:events";
import { createServer } from "node:net";
import mockServer from "@open-rpc/mock-server/build/index.js";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { told } from "./told.mjs";

// It takes no port 0.
const probe = createServer().listen(0, "127.0.0.1");
await once(probe, "listening");
const { port } = probe.address();
probe.close();
await once(probe, "close");

// It cannot read schemas that refer to others; without them it answers with examples all the same.
const methods = document.methods.map((method) => ({
  ...method,
  params: method.params.map((param) => ({ ...param, schema: { type: "object" } })),
  result: { ...method.result, schema: { type: "object" } },
  errors: [],
}));
const { info, openrpc } = document;
console.log = () => undefined;
// A batch with null in it, or deep params, would end it.
process.on("uncaughtException", () => undefined);
await mockServer.default(port, { openrpc, info, methods }).start();
told(`http://127.0.0.1:${port}`);
