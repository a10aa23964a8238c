import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { startChild } from "../../src/processes/child.ts";
import {
  createProcessPool,
  type PooledProcess,
  type ProcessPool,
  type ProcessPoolLimits,
} from "../../src/processes/process-pool.ts";

let directory: string;
let pool: ProcessPool;
const acquired = new Set<PooledProcess>();
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(async () => {
  vi.useRealTimers();
  await pool.close();
  await Promise.all([...acquired].map((pooled) => pooled.release(false)));
  acquired.clear();
  await rm(directory, { recursive: true });
});

function create(limits: Partial<ProcessPoolLimits> = {}): void {
  const module = new URL("./stubborn.ts", import.meta.url);
  pool = createProcessPool({
    ...{ maxIdleMs: 60_000, maxIdle: 4, maxIdleBytes: 1_000_000_000, maxUses: 100, ...limits },
    directoryOf: (serial) => join(directory, String(serial)),
    start: (own) => startChild({ module, directory: own, maxMemoryBytes: 2_000_000_000 }),
  });
}

async function acquire(owner: string): Promise<PooledProcess> {
  const pooled = await pool.acquire(owner);
  acquired.add(pooled);
  await pooled.child.ready;
  return pooled;
}

/** Returns the pid of a process that was used once and released for reuse. */
async function used(owner: string): Promise<number> {
  const pooled = await acquire(owner);
  await pooled.release(true);
  return pooled.child.pid;
}

it("lends a process to its owner again, and never to another", async () => {
  create();
  const pid = await used("a");
  const other = await used("b");
  expect(other).not.toBe(pid);
  expect(await used("a")).toBe(pid);
  expect(await used("b")).toBe(other);
});

it("lends a process to one at a time", async () => {
  create();
  const first = await acquire("a");
  const second = await acquire("a");
  expect(second.child.pid).not.toBe(first.child.pid);
});

it("ends a process that is released after a failure", async () => {
  create();
  const { child, release } = await acquire("a");
  await release(false);
  expect(child.hasEnded).toBe(true);
  expect(await readdir(directory)).toEqual([]);
  expect(await used("a")).not.toBe(child.pid);
});

it("does not lend a process that ended while it waited", async () => {
  create();
  const { child, release } = await acquire("a");
  await release(true);
  process.kill(child.pid, "SIGKILL");
  await child.ended;
  expect(await used("a")).not.toBe(child.pid);
});

it("ends a process after its number of loans", async () => {
  create({ maxUses: 2 });
  const pid = await used("a");
  expect(await used("a")).toBe(pid);
  expect(await used("a")).not.toBe(pid);
});

it("ends a process that has grown", async () => {
  create({ maxIdleBytes: 1_000_000 });
  const pid = await used("a");
  expect(await used("a")).not.toBe(pid);
});

it("ends the process that has waited longest when too many wait", async () => {
  create({ maxIdle: 2 });
  const [a, b, c] = [await used("a"), await used("b"), await used("c")];
  expect(await readdir(directory)).toEqual(["2", "3"]);
  expect([await used("b"), await used("c")]).toEqual([b, c]);
  expect(await used("a")).not.toBe(a);
});

it("ends a process that has waited for its time, and not one that is acquired again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  create({ maxIdleMs: 60_000 });
  const { child, release } = await acquire("a");
  await release(true);
  vi.advanceTimersByTime(59_999);
  const again = await acquire("a");
  expect(again.child.pid).toBe(child.pid);
  vi.advanceTimersByTime(60_000);
  expect(await again.child.call("echo", 1)).toBe(1);
  await again.release(true);
  vi.advanceTimersByTime(60_000);
  await child.ended;
  vi.useRealTimers();
  await eventually(async () => (await readdir(directory)).length === 0);
});

it("leaves no process when it is closed, also of loans that end later", async () => {
  create();
  const [waiting, late] = [await acquire("a"), await acquire("b")];
  await waiting.release(true);
  await pool.close();
  expect(waiting.child.hasEnded).toBe(true);
  await late.release(true);
  expect(late.child.hasEnded).toBe(true);
  expect(await readdir(directory)).toEqual([]);
});
