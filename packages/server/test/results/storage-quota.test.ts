import { listTenants, setTenant } from "@quern/server/administration";
import { expect, it } from "vitest";
import { createStorageQuota } from "../../src/results/storage-quota.ts";
import { startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

it("refuses new runs of a tenant that has used its quota, and answers with its results", async () => {
  await using server = await startServer();
  const { call } = await caller(server, { tenant: "acme", user: "ann" });
  const create = (sql: string, more = {}) => call("createQueryRun", { sql, waitSeconds: 30, ...more });
  const first = await create("select 1 as n");
  expect(first).toMatchObject({ result: { queryRun: { state: "QUERY_STATE_SUCCESS" } } });
  const storedBytes = Number(Reflect.get(Object(first.result?.queryRun), "totalSize"));
  const acme = { id: "acme", createdAt: expect.any(Number), settings: {}, storedBytes };
  expect(await listTenants(server.dataDir)).toEqual([acme]);

  await setTenant(server.dataDir, "acme", { maxStoredBytes: storedBytes });
  const data = { storedBytes, maxStoredBytes: storedBytes };
  expect(await create("select 2 as n")).toMatchObject({ status: 200, error: { code: -32176, data } });
  const reused = await create("select 1 as n", { maxAgeMinutes: 10 });
  expect(reused).toMatchObject({ result: { queryRequest: { triggeredQueryRun: false } } });

  const { totalSize } = await server.run("select 3 as n");
  const other = { id: "tenant_first", createdAt: null, settings: {}, storedBytes: Number(totalSize) };
  expect(await listTenants(server.dataDir)).toContainEqual(other);
});

it("stops a result that grows beyond the quota, and says why", async () => {
  await using server = await startServer({ limits: { maxStoredBytes: 1_000_000 } });
  const endless = await server.run("select hash(range) as h from range(10000000000)");
  expect(endless).toMatchObject({ errorName: "StorageQuotaExceeded", errorData: { category: "RESOURCE" } });
  expect((await server.run("select 1 as n")).state).toBe("QUERY_STATE_SUCCESS");
});

/** Returns the quota of a tenant that may store 100 bytes. */
function quotaOf100(storedBytes: () => Promise<number>) {
  const limits = { maxUnfinishedRuns: undefined, maxRunningRuns: undefined, requestsPerSecond: undefined };
  const others = { requestBurst: undefined, monthlyExecSeconds: undefined };
  return createStorageQuota({ storedBytes }, async () => ({ ...limits, ...others, maxStoredBytes: 100 }));
}

it("admits one of two results that fit only alone", async () => {
  const quota = quotaOf100(async () => 0);
  const claims = await Promise.allSettled([60, 60].map((bytes) => quota.claim("acme", bytes)));
  expect(claims.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

it("counts no result whose quota could not be read", async () => {
  let isFailing = true;
  const quota = quotaOf100(async () => {
    if (isFailing) throw new Error("the store is busy");
    return 0;
  });
  await expect(quota.claim("acme", 60)).rejects.toThrow("the store is busy");
  isFailing = false;
  const release = await quota.claim("acme", 60);
  release();
});
