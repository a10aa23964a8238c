import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import type { Child } from "../../src/processes/child.ts";
import { createProcessPool, type ProcessPool, type ProcessPoolOptions } from "../../src/processes/process-pool.ts";
import type { UserIds } from "../../src/processes/user-ids.ts";
import { fakeChild } from "./fake-child.ts";

let directory: string;
let pool: ProcessPool;
let children: Child[];
beforeEach(async () => {
  directory = await temporaryDirectory();
  children = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await pool.close();
  await rm(directory, { recursive: true });
});

function create(options: Partial<ProcessPoolOptions> = {}): void {
  pool = createProcessPool({
    maxIdleMs: 60_000,
    maxIdle: 4,
    maxIdleBytes: 1_000_000_000,
    maxUses: 100,
    workDirectory: directory,
    name: "p",
    start() {
      const child = fakeChild();
      children.push(child);
      return child;
    },
    ...options,
  });
}

/** Returns ids of which the first leases fail with these codes. */
function failingIds(...codes: string[]): UserIds {
  const id = process.getgid?.() ?? 0;
  const lease = { id, killProcesses: async () => true, release: async () => {} };
  return {
    async lease() {
      const code = codes.shift();
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return lease;
    },
  };
}
const spare = (number: number) => `p-spare-${process.pid}-${number}`;
const own = (number: number) => `p-${process.pid}-${number}`;

/** Waits for spare directories. Each is known to the pool once the call that has created it has ended. */
async function spares(count: number): Promise<void> {
  const created = async () => (await readdir(directory, { recursive: true })).length === 2 * count; // each has a folder
  await eventually(created);
  await readdir(directory); // ends after the calls that created them
}

it("returns the process that its owner released last", async () => {
  create();
  const [one, other] = [await pool.acquire("a"), await pool.acquire("a")];
  await one.release(true);
  await other.release(true);
  expect((await pool.acquire("a")).child).toBe(other.child);
  expect((await pool.acquire("a")).child).toBe(one.child);
});

it("keeps the process of an owner whose data has no revision", async () => {
  create();
  const first = await pool.acquire("a");
  await first.release(true);
  expect((await pool.acquire("a", "")).child).toBe(first.child);
});

it("does not keep the server alive for an idle process", async () => {
  create();
  const { release } = await pool.acquire("a");
  const set = vi.spyOn(globalThis, "setTimeout");
  await release(true);
  const timers = set.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
});

it("gives each process a directory below the absolute path of the work directory", async () => {
  create({ workDirectory: relative(process.cwd(), directory) });
  const { directory: given } = await pool.acquire("a");
  expect(given.path).toBe(join(directory, own(1)));
});

it("removes no directory with another name", async () => {
  create();
  for (const name of ["other", `q-${own(7)}`, own(7)]) await mkdir(join(directory, name));
  await (await pool.acquire("a")).release(false);
  expect(await readdir(directory)).toEqual(["other", `q-${own(7)}`]);
});

it("starts as many warm processes as are configured, and one for each that is acquired", async () => {
  create({ warmProcesses: 2 });
  await eventually(() => children.length === 2);
  const warm = new Set(children);
  const acquired = [await pool.acquire("a"), await pool.acquire("b")];
  expect(new Set(acquired.map(({ child }) => child))).toEqual(warm);
  await eventually(() => children.length === 4);
});

it("starts none in advance by default", async () => {
  create();
  await pool.acquire("a");
  expect(children).toHaveLength(1);
});

it("ends warm processes that start while it is closed, and starts no other one", async () => {
  create({ warmProcesses: 2, spareDirectories: 1 });
  await pool.close();
  expect(children.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
  expect(await readdir(directory)).toEqual([]);
  expect((await pool.acquire("a")).child.hasEnded).toBe(true);
  expect(children).toHaveLength(3);
});

it("ends idle processes when it is closed, and those in use when they are released", async () => {
  create();
  const [idle, busy] = [await pool.acquire("a"), await pool.acquire("b")];
  await idle.release(true);
  await pool.close();
  expect([idle.child.hasEnded, busy.child.hasEnded]).toEqual([true, false]);
  await busy.release(true);
  expect(busy.child.hasEnded).toBe(true);
});

it("starts a process in a spare directory if the disk is full, and creates another one when it has space", async () => {
  create({ spareDirectories: 1, userIds: failingIds("ENOSPC") });
  await spares(1);
  const { directory: given, release } = await pool.acquire("a");
  expect([basename(given.path), ...(await readdir(directory))]).toEqual([own(1), own(1)]);
  await release(false);
  expect(await readdir(directory)).toEqual([spare(2)]);
});

it.each([
  ["EACCES", 1],
  ["ENOSPC", 0],
])("fails with %s if it has %d spare directories", async (code, spareDirectories) => {
  create({ spareDirectories, userIds: failingIds(code) });
  await spares(spareDirectories);
  const names = await readdir(directory);
  await expect(pool.acquire("a")).rejects.toMatchObject({ code });
  expect(await readdir(directory)).toEqual(names);
  await mkdir(join(directory, own(1))); // the name of the process that was not started is not in use
  const { directory: given, release } = await pool.acquire("a");
  expect(basename(given.path)).toBe(own(2));
  await release(false);
  expect(await readdir(directory)).toEqual(names);
});

it("fails with the error of a warm process that was not started, and starts another one", async () => {
  create({ warmProcesses: 1, userIds: failingIds("EACCES") });
  await expect(pool.acquire("a")).rejects.toMatchObject({ code: "EACCES" });
  expect((await pool.acquire("a")).child.hasEnded).toBe(false);
});
