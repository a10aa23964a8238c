import document from "@quern/spec/openrpc.json" with { type: "json" };
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import { reportCpu } from "../cpu-reporter.mjs";

const { params, result, examples } = document.methods.find(({ name }) => name === "getQueryRun");
const example = { jsonrpc: "2.0", id: 1, result: examples[0].result.value };
const sent = { type: "object", properties: { params: { type: "array", items: params[0].schema } } };
const answered = { type: "object", properties: { result: result.schema } };
const operations = await getHttpOperationsFromSpec({
  openapi: "3.1.0",
  info: document.info,
  paths: {
    "/json-rpc": {
      post: {
        requestBody: { content: { "application/json": { schema: sent } } },
        responses: { 200: { description: "A run", content: { "application/json": { schema: answered, example } } } },
      },
    },
  },
  components: { schemas: document.components.schemas },
});
const server = createServer(operations, {
  components: { logger: createLogger("bench", { level: "silent" }) },
  cors: false,
  config: {
    isProxy: false,
    validateRequest: true,
    validateResponse: true,
    checkSecurity: true,
    errors: false,
    mock: { dynamic: false },
  },
});
reportCpu(`${await server.listen(0, "127.0.0.1")}/json-rpc`);
