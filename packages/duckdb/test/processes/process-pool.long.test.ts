import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { type Child, startChild } from "../../src/processes/child.ts";
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

function create(
  limits: Partial<ProcessPoolLimits & { warmProcesses: number }> = {},
  onStart = (_: Child): void => {},
): void {
  const module = new URL("./stubborn.ts", import.meta.url);
  pool = createProcessPool({
    maxIdleMs: 60_000,
    maxIdle: 4,
    maxIdleBytes: 1_000_000_000,
    maxUses: 100,
    ...limits,
    workDirectory: directory,
    name: "p",
    start({ path }) {
      const child = startChild({ module, directory: path, maxMemoryBytes: 2_000_000_000 });
      onStart(child);
      return child;
    },
  });
}

async function acquire(owner: string, revision?: string): Promise<PooledProcess> {
  const pooled = await pool.acquire(owner, revision);
  acquired.add(pooled);
  await pooled.child.ready;
  return pooled;
}

/** Returns the pid of a process that was used once and released for reuse. */
async function used(owner: string, revision?: string): Promise<number> {
  const pooled = await acquire(owner, revision);
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

it("keeps the files of a process that has ended until it is released", async () => {
  create();
  const { child, directory: own, release } = await acquire("a");
  process.kill(child.pid, "SIGKILL");
  await child.ended;
  await (await acquire("b")).release(false); // it removes all directories that are not in use
  expect(await readdir(directory)).toContain(basename(own.path));
  await release(true);
  expect(await readdir(directory)).toEqual([]);
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
  expect(await readdir(directory)).toEqual([`p-${process.pid}-2`, `p-${process.pid}-3`]);
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

it("keeps at most a number of idle processes for one owner", async () => {
  create({ maxIdleOfOwner: 1 });
  const other = await used("b");
  const [first, second] = [await acquire("a"), await acquire("a")];
  await first.release(true);
  await second.release(true);
  expect([first.child.hasEnded, second.child.hasEnded]).toEqual([true, false]);
  expect(await used("b")).toBe(other);
});

it("ends the processes of an owner whose data changed, and no others", async () => {
  create();
  const old = await acquire("a", "1");
  const [busy, other] = [await acquire("a", "1"), await used("b", "1")];
  await old.release(true);
  const next = await acquire("a", "2");
  await old.child.ended;
  expect(next.child.pid).not.toBe(old.child.pid);
  expect(await busy.child.call("echo", 1)).toBe(1);
  expect(await used("b", "1")).toBe(other);
});

it("ends a process that is older than its longest age", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  create({ maxAgeMs: 60_000 });
  const pid = await used("a");
  vi.advanceTimersByTime(59_999);
  expect(await used("a")).toBe(pid);
  vi.advanceTimersByTime(1);
  expect(await used("a")).toBe(pid);
  expect(await used("a")).not.toBe(pid);
});

it("starts processes before they are needed, for any owner", async () => {
  create({ warmProcesses: 1 });
  await eventually(async () => (await readdir(directory)).length === 1);
  const [a, b] = [await acquire("a"), await acquire("b")];
  expect([a.directory, b.directory].map(({ path }) => basename(path))).toEqual([
    `p-${process.pid}-1`,
    `p-${process.pid}-2`,
  ]);
  await a.release(true);
  expect(await used("a")).toBe(a.child.pid);
  expect(await used("c")).not.toBe(a.child.pid);
});

it("does not lend a warm process that has ended", async () => {
  const started: Child[] = [];
  create({ warmProcesses: 1 }, (child) => started.push(child));
  await eventually(() => started.length === 1);
  const [warm] = started;
  await warm?.ready;
  process.kill(warm?.pid ?? 0, "SIGKILL");
  await warm?.ended;
  const { child } = await acquire("a");
  expect(await child.call("echo", 1)).toBe(1);
});

it("removes a directory whose removal failed, when a later process ends", async () => {
  create();
  await used("a");
  const left = join(directory, `p-${process.pid}-of-before`);
  await mkdir(left);
  await (await acquire("b")).release(false);
  expect(await readdir(directory)).toEqual([`p-${process.pid}-1`]);
});
