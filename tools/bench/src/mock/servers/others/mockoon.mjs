import { createServer } from "node:http";
import { BuildEnvironment, BuildHTTPRoute, BuildRouteResponse } from "@mockoon/commons";
import { MockoonServer } from "@mockoon/commons-server";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { reportCpu } from "../cpu-reporter.mjs";

const { examples } = document.methods.find(({ name }) => name === "getQueryRun");
const response = {
  ...BuildRouteResponse(),
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: examples[0].result.value }),
  headers: [{ key: "content-type", value: "application/json" }],
  default: true,
};
const route = { ...BuildHTTPRoute(), method: "post", endpoint: "json-rpc", responses: [response] };
const environment = { ...BuildEnvironment(), routes: [route], rootChildren: [{ type: "route", uuid: route.uuid }] };
const server = createServer(new MockoonServer(environment).createRequestListener());
server.listen(0, "127.0.0.1", () => reportCpu(`http://127.0.0.1:${server.address().port}/json-rpc`));
