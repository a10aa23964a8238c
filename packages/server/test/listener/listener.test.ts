import { expect, it } from "vitest";
import { apiKey, createGate, duckdbKind, eventually, gatedKind, startServer } from "../fixture.ts";

it("completes responses on close, ends waits, and refuses other requests until then", async () => {
  const before = createGate();
  const describing = createGate();
  const kind = gatedKind(await duckdbKind(), { before });
  await using server = await startServer({
    kind: {
      ...kind,
      async describe(statement, signal) {
        // The engine ends first: responses in progress have five seconds once the server closes.
        const description = await kind.describe(statement, signal);
        await describing.pass(signal);
        return description;
      },
    },
  });
  const { queryRun } = await server.create({ sql: "select 1" });
  const underWay = server.batch([
    { method: "getQueryRun", params: { queryRunId: queryRun.id, waitSeconds: 30 } },
    { method: "describeQuery", params: { sql: "select 1 as n" } },
  ]);
  await eventually(() => describing.waiting === 1);

  const stopped = server.stop();
  const refused = await fetch(`${server.url}/json-rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "getQueryRun", params: [{ queryRunId: queryRun.id }] }),
  });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.headers.get("connection")).toBe("close");
  expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32603 } });

  describing.open();
  expect(await underWay).toMatchObject([{ queryRun: { endedAt: null } }, { columns: [{ name: "n" }] }]);
  await stopped;
  await expect(fetch(server.url)).rejects.toThrow();
});
