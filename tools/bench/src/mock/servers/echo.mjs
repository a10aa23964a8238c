import { createServer } from "node:http";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { reportCpu } from "./cpu-reporter.mjs";

const result = document.methods.find(({ name }) => name === "getQueryRun").examples[0].result.value;

/** The minimum: a `node:http` server that parses and writes JSON, with the same run for each call. */
export function echo(check = () => undefined) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { id, params } = JSON.parse(Buffer.concat(chunks));
      check(params[0], result);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  server.listen(0, "127.0.0.1", () => reportCpu(`http://127.0.0.1:${server.address().port}/json-rpc`));
}
