import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { createDiskGuard, diskUse, examineDisk } from "../../src/disk/disk-space.ts";
import { createScheduler } from "../../src/scheduler/scheduler.ts";
import { createGate, eventually, gatedKind, idleKind, startServer, temporaryDirectory } from "../fixture.ts";
import { createDependencies } from "../scheduler/dependencies.ts";

it("checks a disk with space again after a time, and a full one each time", async () => {
  let checks = 0;
  let usedShare = 0.5;
  const use = async () => {
    checks += 1;
    return { usedShare, freeBytes: 1 };
  };
  const log = { info: () => {}, error: () => {} };
  const { hasSpace } = createDiskGuard({ folder: "/data", log, use, checkedMs: 20 });
  expect([await hasSpace(), await hasSpace(), checks]).toEqual([true, true, 1]);
  usedShare = 1;
  await eventually(async () => !(await hasSpace()));
  const before = checks;
  expect([await hasSpace(), await hasSpace(), checks - before]).toEqual([false, false, 2]);
});

it("starts no run while the disk is too full, and logs it once each time", async () => {
  const ran: string[] = [];
  const deps = createDependencies((sql) => void ran.push(sql));
  let usedShare = 0.96;
  let asked = 0;
  const use = async () => {
    asked += 1;
    return { usedShare, freeBytes: 1 };
  };
  const disk = createDiskGuard({ folder: "/data", log: deps.log, maxDiskShare: 0.95, use });
  const { hasSpace } = disk;
  const scheduler = createScheduler({ ...deps, maxRunningRuns: 2, hasSpace });
  const id = await deps.submit();
  await scheduler.start();
  await vi.waitUntil(() => asked === 1);
  await deps.submit();
  await vi.waitUntil(() => asked === 2);
  expect(await deps.stateOf(id)).toBe("QUERY_STATE_READY");
  expect(deps.logged).toEqual(["no run starts, because the disk is too full"]);
  expect(disk.waitReason).toMatch(/disk/);

  usedShare = 0.95;
  await deps.submit();
  await vi.waitUntil(() => ran.length === 3);
  await vi.waitUntil(async () => (await deps.stateOf(id)) === "QUERY_STATE_SUCCESS");
  expect(disk.waitReason).toBeUndefined();
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

const itWithDf = it.skipIf(process.platform === "win32"); // Windows has no df

itWithDf("counts the used share as df does", async () => {
  const folder = await temporaryDirectory();
  const { stdout } = await promisify(execFile)("df", ["-P", folder]);
  const capacity = Number(/(\d+)%/.exec(stdout)?.[1]);
  const { usedShare } = await diskUse(folder);
  // df rounds up. Other programs use the disk meanwhile.
  expect(Math.abs(Math.ceil(usedShare * 100) - capacity)).toBeLessThanOrEqual(1);
});

it("has no space until the reserved space of the store is whole again", async () => {
  const log = { error: vi.fn() };
  const reserve = { isWhole: false, free: () => true, restore: vi.fn(async () => {}) };
  const use = async () => ({ usedShare: 0.5, freeBytes: 7 });
  const disk = createDiskGuard({ folder: "/data", log, reserve, use });
  expect(await disk.hasSpace()).toBe(false);
  expect(reserve.restore).toHaveBeenCalledWith(7);
  reserve.isWhole = true;
  expect(await disk.hasSpace()).toBe(true);
});

it("delays the queued runs of a server, which say why, and refuses new ones", async () => {
  const dataDir = await temporaryDirectory();
  const gate = createGate();
  const log = { error: vi.fn() };
  const before = await startServer({ dataDir, kind: gatedKind(idleKind, { before: gate }), log });
  const { queryRun } = await before.create({ sql: "select 1" });
  expect(queryRun).not.toHaveProperty("waitReason");
  await eventually(() => gate.waiting === 1);
  await before.stop(); // the run returns to the queue

  await using server = await startServer({ dataDir, limits: { maxDiskShare: 0.001 }, log });
  await expect(server.create({ sql: "select 2" })).rejects.toMatchObject({
    code: -32177,
    data: { retryAfterMs: expect.any(Number) },
  });
  const waiting = { state: "QUERY_STATE_READY", waitReason: expect.stringMatching(/disk/) };
  expect(await server.get(queryRun.id)).toMatchObject(waiting);
  expect(await server.call("listQueryRuns", {})).toMatchObject({ queryRuns: [waiting] });
  // A call that needs no new run is answered.
  const joined = await server.create({ sql: "select 1", maxAgeMinutes: 10 });
  expect(joined).toMatchObject({ queryRequest: { triggeredQueryRun: false }, queryRun: waiting });
});
