/**
 * `node:http` server that answers each call with the same run at little cost, so that the cost of the client is
 * measured.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const RESULT = JSON.stringify({ queryRun: { id: "run", state: "QUERY_STATE_RUNNING", rowCount: null } });

const answer = ({ id }: { readonly id: number }) => `{"jsonrpc":"2.0","id":${id},"result":${RESULT}}`;

const server = createServer(async (request, response) => {
  const body = await text(request);
  response.writeHead(200, { "content-type": "application/json" });
  if (request.url?.startsWith("/trpc/")) {
    const calls = request.url.slice(0, request.url.indexOf("?")).split(",");
    response.end(`[${calls.map(() => `{"result":{"data":${RESULT}}}`).join()}]`);
  } else {
    const message = JSON.parse(body);
    response.end(Array.isArray(message) ? `[${message.map(answer).join()}]` : answer(message));
  }
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // an address object, because the server listens on a port
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
