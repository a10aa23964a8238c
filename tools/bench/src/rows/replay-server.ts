/** Serves recorded pages from a folder, so that the reader is what is measured. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const [folder = ""] = process.argv.slice(2);
const recorded = new Map<string, Buffer>();

function replay(name: string): Buffer {
  const result = recorded.get(name) ?? readFileSync(join(folder, name));
  recorded.set(name, result);
  return result;
}

const server = createServer(async (request, response) => {
  const { id, method, params } = JSON.parse(await text(request));
  response.writeHead(200, { "content-type": "application/json" });
  // As a service without downloads answers.
  if (method === "getQueryRunDownload")
    return response.end(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`);
  response.write(`{"jsonrpc":"2.0","id":${id},"result":`);
  response.write(replay(method === "getQueryRunResults" ? `page-${params[0].page.number}` : "run"));
  response.end("}");
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // an address object, because the server listens on a port
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
