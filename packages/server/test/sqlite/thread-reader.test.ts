import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { createFairSemaphore } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { afterEach, beforeEach, expect, it } from "vitest";
import { allRuns } from "../../../adapter/src/contract/store/context.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import type { Reader } from "../../src/sqlite/reader.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createThreadReader, createThreadReaders } from "../../src/sqlite/thread-reader.ts";
import { temporaryDirectory } from "../fixture.ts";
import { runsOf } from "./listed-runs.ts";
import { insertManyRuns } from "./many-runs.ts";

let directory: string;
let path: string;
let database: DatabaseSync;
beforeEach(async () => {
  directory = await temporaryDirectory();
  path = join(directory, "test.db");
  database = openDatabase(path);
});
afterEach(async () => {
  database.close();
  await rm(directory, { recursive: true });
});

const now = 0;
const everything = { ...allRuns, limit: 1_000 };
const listOf = async (reader: Reader, tenantId: string) =>
  runsOf(await reader.read(tenantId, "list", { ...everything, tenantId }, now, {}));

it("serves the event loop while a read is in progress", async () => {
  insertManyRuns(database, { count: 1_000, tenantId: "t", userId: "u" });
  const reader = createThreadReader(path, undefined);
  const events: string[] = [];
  const reading = listOf(reader, "t").then((runs) => events.push(`read ${runs.length}`));
  await new Promise<void>((resolve) => setImmediate(resolve));
  events.push("served");
  await reading;
  expect(events).toEqual(["served", "read 1000"]);
  await reader.close();
});

it("returns what was committed before the read", async () => {
  const store = openSqliteStore(path);
  const missing: string[] = [];
  for (let made = 0; made < 50; made += 1) {
    const { run } = accepted(await store.runs.submit(submission({ tenantId: "t" })));
    const listed = runsOf(await store.runs.list({ ...everything, tenantId: "t" }, now, {}));
    if (!listed.some(({ id }) => id === run.id)) missing.push(run.id);
  }
  expect(missing).toEqual([]);
  await store.close();
});

it("admits the tenants of waiting reads round-robin", async () => {
  const reader = createThreadReader(path, createFairSemaphore(1));
  const order: string[] = [];
  const ask = (tenantId: string) => listOf(reader, tenantId).then(() => order.push(tenantId));
  await Promise.all([..."aaaaab"].map(ask));
  expect(order.indexOf("b")).toBeLessThan(3);
  await reader.close();
});

it("rejects a read with the error of SQLite, and performs the next one", async () => {
  const reader = createThreadReader(path, undefined);
  await listOf(reader, "t");
  database.exec("ALTER TABLE requested_runs RENAME TO elsewhere");
  const failed = reader.read("t", "list", { ...everything, tenantId: "t", userId: "u" }, now, {});
  await expect(failed).rejects.toMatchObject({
    message: "no such table: requested_runs",
    code: "ERR_SQLITE_ERROR",
    errcode: 1,
  });
  database.exec("ALTER TABLE elsewhere RENAME TO requested_runs");
  expect(await listOf(reader, "t")).toEqual([]);
  await reader.close();
});

it("rejects the reads in progress if the thread cannot start, and starts it for the next one", async () => {
  const reader = createThreadReader(join(directory, "later.db"), undefined);
  await expect(listOf(reader, "t")).rejects.toThrow("unable to open database file");
  openDatabase(join(directory, "later.db")).close();
  expect(await listOf(reader, "t")).toEqual([]);
  await reader.close();
});

it("completes the reads in progress when it closes, and rejects later ones", async () => {
  const reader = createThreadReader(path, undefined);
  const reading = listOf(reader, "t");
  await reader.close();
  expect(await reading).toEqual([]);
  await expect(listOf(reader, "t")).rejects.toThrow("the store is closed");
});

it("keeps its process alive for a read, and not after it", async () => {
  const module = new URL("../../src/sqlite/thread-reader.ts", import.meta.url);
  const script = `
    const { createThreadReader } = await import(${JSON.stringify(module.href)});
    const reader = createThreadReader(${JSON.stringify(path)}, undefined);
    reader.read("t", "usage", undefined).then((usage) => console.log(usage.length));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout).toBe("0\n");
});

it("performs short reads while a list waits for its tenant, and rejects all reads once it is closed", async () => {
  const blocked = createFairSemaphore(1);
  const release = await blocked.acquire("another tenant", new AbortController().signal);
  const reader = createThreadReaders(path, blocked);
  const unknown = { id: "run", tenantId: "tenant", userId: "ann", createdAt: 0 };
  const latestRequest = () => reader.read("tenant", "latestRequest", "unknown", { userId: undefined, sources: null });
  try {
    const list = reader.read("tenant", "counts");
    expect(await latestRequest()).toBeUndefined();
    expect(await reader.read("tenant", "queuePosition", unknown)).toBeUndefined();
    release();
    expect(await list).toMatchObject({ ready: 0, running: 0 });
  } finally {
    await reader.close();
  }
  await expect(latestRequest()).rejects.toThrow("the store is closed");
  await expect(reader.read("tenant", "counts")).rejects.toThrow("the store is closed");
});

/** Returns how many threads of this process have the priority of long reads. */
function lowThreads(): number {
  const stats = readdirSync("/proc/self/task").map((id) => readFileSync(`/proc/self/task/${id}/stat`, "utf8"));
  return stats.filter((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16] === "10").length;
}

// Other systems have no priorities of threads.
it.runIf(process.platform === "linux")("reads with a low priority, except short reads", async () => {
  const reader = createThreadReaders(path, undefined);
  const before = lowThreads();
  await reader.read("tenant", "queuePosition", { id: "run", tenantId: "tenant", userId: "ann", createdAt: 0 });
  expect(lowThreads() - before).toBe(0);
  await reader.read("tenant", "counts");
  expect(lowThreads() - before).toBe(1);
  await reader.close();
});
