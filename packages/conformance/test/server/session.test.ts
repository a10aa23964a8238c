import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { expect, it } from "vitest";
import { createContract } from "../../src/server/document.ts";
import { createSession } from "../../src/server/session.ts";

interface Sent {
  readonly method: string;
  readonly params: readonly [Readonly<Record<string, unknown>>];
}

/** Requests to a server after calls of a method whose answers have runs in these states. */
async function sentTo(states: readonly string[], method = "createQueryRun"): Promise<Sent[]> {
  const sent: Sent[] = [];
  const left = [...states];
  const server = createServer(async (request, response) => {
    const body = [await json(request)].flat() as Sent[];
    sent.push(...body);
    const id = `run_${states.length - left.length}`;
    const state = left.shift();
    const result = { queryRun: { id, state }, queryRequest: { id: `req of ${id}`, queryRunId: id } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/json-rpc`;
  const session = createSession({ endpoint, apiKey: "k", contract: createContract(document), timeoutMs: 10_000 });
  try {
    await using sender = session.createSender();
    for (const _ of states) {
      const call = { jsonrpc: "2.0", id: 1, method, params: [{ sql: "select 1" }] };
      await sender.send({ json: call }, session.variables);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return sent.slice(states.length);
}

it("withdraws its own requests of the runs that have not ended, and leaves the others alone", async () => {
  const withdrawn = await sentTo(["QUERY_STATE_READY", "QUERY_STATE_SUCCESS", "QUERY_STATE_RUNNING"]);
  expect(withdrawn.map(({ method, params }) => [method, params[0]])).toEqual([
    ["cancelQueryRun", { queryRunId: "run_0", queryRequestId: "req of run_0" }],
    ["cancelQueryRun", { queryRunId: "run_2", queryRequestId: "req of run_2" }],
  ]);
  expect(await sentTo(["QUERY_STATE_READY"])).toHaveLength(1);
  expect(await sentTo(["QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"])).toEqual([]);
  expect(await sentTo(["QUERY_STATE_RUNNING"], "getQueryRun")).toEqual([]);
});
