/** Worker thread with a server that counts the requests for pages while the test blocks its own thread. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parentPort, workerData } from "node:worker_threads";

const asked: Int32Array = workerData;

const server = createServer(async (request, response) => {
  const { id, method, params } = JSON.parse(await text(request));
  if (method === "getQueryRunResults") Atomics.add(asked, 0, 1);
  Atomics.notify(asked, 0);
  const { number = 1, size = 1 } = params[0].page ?? {};
  const rows = Array.from({ length: size }, (_, index) => [(number - 1) * size + index]);
  const page = { columnNames: ["n"], columnTypes: ["number"], rows, page: { totalRows: 3 * size } };
  const queryRun = { id: "a", state: "QUERY_STATE_SUCCESS" };
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: method === "getQueryRun" ? { queryRun } : page }));
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port)); // It listens on a port.
