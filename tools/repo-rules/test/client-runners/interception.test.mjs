// A tool that replaces functions of `node:http` intercepts a client that has sent requests before.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { createClient, getQueryRun } from "@quern/client";

const answer = ({ id }, state) => ({ jsonrpc: "2.0", id, result: { queryRun: { id: "run", state } } });
const service = createServer(async (request, response) => {
  response.end(JSON.stringify(answer(await json(request), "from the service")));
});

/** Starts to intercept, and returns a function that stops it. */
const tools = {
  async msw(url) {
    const { HttpResponse, http } = await import("msw");
    const { setupServer } = await import("msw/node");
    const server = setupServer(
      http.post(url, async ({ request }) => HttpResponse.json(answer(await request.json(), "from the tool"))),
    );
    server.listen();
    return () => server.close();
  },
  async nock(url) {
    const { default: nock } = await import("nock");
    nock(new URL(url).origin).post("/json-rpc").reply(200, answer({}, "from the tool"));
    return () => nock.restore();
  },
};

test(process.env.TOOL, async (context) => {
  context.after(() => {
    service.close();
    service.closeAllConnections();
  });
  await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
  const client = createClient({ url: `http://127.0.0.1:${service.address().port}`, apiKey: "k" });
  const state = async () => (await getQueryRun(client, { queryRunId: "run" })).queryRun.state;
  assert.equal(await state(), "from the service");
  const stop = await tools[process.env.TOOL](client.url);
  assert.equal(await state(), "from the tool");
  stop();
  assert.equal(await state(), "from the service");
});
