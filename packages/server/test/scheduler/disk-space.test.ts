import { expect, it, vi } from "vitest";
import { createDiskGuard, diskUse, examineDisk } from "../../src/scheduler/disk-space.ts";
import { createScheduler } from "../../src/scheduler/scheduler.ts";
import { startServer, temporaryDirectory } from "../fixture.ts";
import { createDependencies } from "./dependencies.ts";

it("starts no run while the disk is too full, and logs it once each time", async () => {
  const ran: string[] = [];
  const deps = createDependencies((sql) => void ran.push(sql));
  let usedShare = 0.96;
  let asked = 0;
  const use = async () => {
    asked += 1;
    return { usedShare, freeBytes: 1 };
  };
  const hasSpace = createDiskGuard("/data", deps.log, 0.95, use);
  const scheduler = createScheduler({ ...deps, maxRunningRuns: 2, hasSpace });
  const id = await deps.submit();
  await scheduler.start();
  await vi.waitUntil(() => asked === 1);
  await deps.submit();
  await vi.waitUntil(() => asked === 2);
  expect(await deps.stateOf(id)).toBe("QUERY_STATE_READY");
  expect(deps.logged).toEqual(["no run starts, because the disk is too full"]);

  usedShare = 0.95;
  await deps.submit();
  await vi.waitUntil(() => ran.length === 3);
  await vi.waitUntil(async () => (await deps.stateOf(id)) === "QUERY_STATE_SUCCESS");
  usedShare = 1;
  expect(await hasSpace()).toBe(false);
  expect(deps.logged).toHaveLength(2);
  await scheduler.close();
});

it("examines the disk of the data directory", async () => {
  const { usedShare, freeBytes } = await diskUse(await temporaryDirectory());
  expect(usedShare).toBeGreaterThan(0);
  expect(usedShare).toBeLessThanOrEqual(1);
  expect(freeBytes).toBeGreaterThan(0);
  const report = await examineDisk("/", -1);
  expect(report).toMatchObject({ hasSpace: false, meaning: expect.stringContaining("No run starts") });
});

it("delays the runs of a server", async () => {
  const log = { error: vi.fn() };
  await using server = await startServer({ limits: { maxDiskShare: 0.001 }, log });
  const { queryRun } = await server.create({ sql: "select 1" });
  await vi.waitUntil(() => log.error.mock.calls.length > 0);
  expect(await server.get(queryRun.id)).toMatchObject({ state: "QUERY_STATE_READY" });
});
