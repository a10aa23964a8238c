import type { GetQueryRunResult } from "@quern/protocol/types";
import { expect, it } from "vitest";
import { apiKey, createGate, duckdbKind, gatedKind, startServer } from "../fixture.ts";

it("answers a batch that waits as soon as one of its runs has ended, however many they are", async () => {
  const kind = gatedKind(await duckdbKind({ warmProcesses: 0 }), { before: createGate() });
  await using server = await startServer({ kind, limits: { maxUnfinishedRuns: 40 } });
  const created = await Promise.all(Array.from({ length: 20 }, (_, n) => server.create({ sql: `select ${n}` })));
  const ids = created.map(({ queryRun }) => queryRun.id);
  const held = fetch(`${server.url}/json-rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(
      ids.map((queryRunId, id) => ({
        jsonrpc: "2.0",
        id,
        method: "getQueryRun",
        params: [{ queryRunId, waitSeconds: 50 }],
      })),
    ),
  });
  await server.call("cancelQueryRun", { queryRunId: ids[19] });
  const replies: { result: GetQueryRunResult }[] = await (await held).json();
  const ended = replies.filter(({ result }) => result.queryRun.state === "QUERY_STATE_CANCELED");
  expect(replies).toHaveLength(20);
  expect(ended.map(({ result }) => result.queryRun.id)).toEqual([ids[19]]);
}, 45_000); // less than the 50 seconds that the calls are held for without the cancel
