import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createJSONRPCErrorResponse, JSONRPCServer } from "json-rpc-2.0";
import { reportCpu } from "./cpu-reporter.mjs";
import { methods } from "./examples.mjs";

const rpc = new JSONRPCServer({ errorListener: () => undefined });
rpc.mapErrorToJSONRPCErrorResponse = (id, { code, message, data }) =>
  createJSONRPCErrorResponse(id, code, message, data);
for (const { name, answer } of methods) rpc.addMethod(name, answer);

const server = createServer(async (request, response) => {
  try {
    const reply = await rpc.receiveJSON(await text(request));
    if (reply === null) response.writeHead(204).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  } catch {
    response.writeHead(500).end();
  }
});
server.listen(0, "127.0.0.1", () => reportCpu(`http://127.0.0.1:${server.address().port}/json-rpc`));
