import type { SourceKind } from "@quern/adapter";
import { listTenants, setTenant } from "@quern/server/administration";
import { expect, it } from "vitest";
import { createGate, duckdbKind, eventually, gatedKind, startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

it("refuses new runs of a tenant that has used its quota, and answers with its results", async () => {
  await using server = await startServer();
  const { call } = await caller(server, { tenant: "acme", user: "ann" });
  const create = (sql: string, more = {}) => call("createQueryRun", { sql, waitSeconds: 30, ...more });
  const first = await create("select 1 as n");
  expect(first).toMatchObject({ result: { queryRun: { state: "QUERY_STATE_SUCCESS" } } });
  const { storedBytes = 0 } = (await listTenants(server.dataDir))[0] ?? {};
  // The statement counts, too.
  expect(storedBytes).toBeGreaterThan(Number(Reflect.get(Object(first.result?.queryRun), "totalSize")));
  const acme = { id: "acme", createdAt: expect.any(Number), settings: {}, storedBytes };
  expect(await listTenants(server.dataDir)).toEqual([acme]);

  await setTenant(server.dataDir, "acme", { maxStoredBytes: storedBytes });
  const data = { storedBytes, maxStoredBytes: storedBytes };
  expect(await create("select 2 as n")).toMatchObject({ status: 200, error: { code: -32176, data } });
  const reused = await create("select 1 as n", { maxAgeMinutes: 10 });
  expect(reused).toMatchObject({ result: { queryRequest: { triggeredQueryRun: false } } });

  await server.run("select 3 as n");
  const other = { id: "tenant_first", createdAt: null, settings: {}, storedBytes: expect.any(Number) };
  expect(await listTenants(server.dataDir)).toContainEqual(other);
});

it("stops a result that grows beyond the quota, and says why", async () => {
  await using server = await startServer({ limits: { maxStoredBytes: 1_000_000 } });
  const endless = await server.run("select hash(range) as h from range(10000000000)");
  expect(endless).toMatchObject({ errorName: "StorageQuotaExceeded", errorData: { category: "RESOURCE" } });
  expect((await server.run("select 1 as n")).state).toBe("QUERY_STATE_SUCCESS");
});

it("stores only the results that fit of several that are executed at the same time", async () => {
  const gate = createGate();
  const inner = await duckdbKind();
  const isHeld = ({ sql }: { readonly sql: string }) => !sql.includes("select 1 ");
  const held = gatedKind(inner, { before: gate });
  const kind = {
    ...inner,
    begin: (...call: Parameters<SourceKind["begin"]>) => (isHeld(call[0]) ? held : inner).begin(...call),
  };
  await using server = await startServer({ kind });
  const { call } = await caller(server, { tenant: "acme", user: "ann" });
  const create = async (n: number) => {
    const { result } = await call("createQueryRun", { sql: `select ${n} as n`, waitSeconds: 30 });
    return Object(result?.queryRun) as { readonly totalSize: string; readonly errorName: string | null };
  };
  const size = Number((await create(1)).totalSize);
  const { storedBytes = 0 } = (await listTenants(server.dataDir))[0] ?? {};
  const statements = 5 * (storedBytes - size);
  await setTenant(server.dataDir, "acme", { maxStoredBytes: 3 * size - 1 + statements });
  const creating = Promise.all([2, 3, 4, 5].map(create));
  // All statements count before the first result is stored.
  const accepted = async () => (await listTenants(server.dataDir))[0]?.storedBytes === size + statements;
  await eventually(accepted);
  gate.open();
  const runs = await creating;
  expect(runs.map(({ errorName }) => errorName).toSorted()).toEqual([...Array(3).fill("StorageQuotaExceeded"), null]);
  expect(await listTenants(server.dataDir)).toMatchObject([{ id: "acme", storedBytes: 2 * size + statements }]);
});
