import { mkdir, rm } from "node:fs/promises";
import { getPriority } from "node:os";
import { basename, join } from "node:path";
import type { startDeadline } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
// The built package is used, because its processes start faster than from sources.
import type { Child, startChild } from "../../dist/processes/child.js";
import type { ResultReader } from "../../dist/reader/reader.js";
import type { PageTask } from "../../src/reader/task.ts";
import { inDuckDB } from "../sources/data.ts";

/** Processes that were started, by the names of their directories. */
const started = new Map<string, Child>();
vi.mock("../../dist/processes/child.js", async (load) => {
  const module = await load<{ readonly startChild: typeof startChild }>();
  const start: typeof startChild = (options) => {
    const child = module.startChild(options);
    started.set(basename(options.directory), child);
    return child;
  };
  return { ...module, startChild: start };
});

/** Signals that replace the time limits; undefined if nothing replaces them. */
let held: AbortController[] | undefined;
vi.mock("@quern/adapter", async (load) => {
  const module = await load<{ readonly startDeadline: typeof startDeadline }>();
  const start: typeof startDeadline = (ms) => {
    if (held === undefined) return module.startDeadline(ms);
    const controller = new AbortController();
    held.push(controller);
    return { signal: controller.signal, end: () => {} };
  };
  return { ...module, startDeadline: start };
});

// Another test file in this process may have loaded the modules without the mock.
vi.resetModules();
const { createResultReader } = await import("../../dist/reader/reader.js");
const { createTenantReaders } = await import("../../dist/reader/tenant-readers.js");

let directory: string;
let reader: ResultReader;
beforeEach(async () => {
  started.clear();
  directory = await temporaryDirectory();
  await mkdir(join(directory, "results"));
  const rows = "SELECT range AS c0 FROM range(40)";
  await inDuckDB(":memory:", `COPY (${rows}) TO '${join(directory, "results", "run_a.1.parquet")}' (FORMAT parquet)`);
});
afterEach(async () => {
  held = undefined;
  vi.restoreAllMocks();
  await reader.close();
  await rm(directory, { recursive: true });
});

function open(): void {
  const limits = { spillMegabytes: 100, maxCopyBytes: 1e9, filteredPageTimeoutSeconds: 60 };
  reader = createResultReader({ ...limits, workDirectory: directory, hasSpace: async () => true });
}

const plain: PageTask = {
  result: "run_a.1",
  columns: [{ name: "n", kind: "number", engineType: "BIGINT" }],
  rowCount: 40,
  page: { number: 1, size: 2 },
  format: "csv",
  rowIndex: false,
  conditions: [],
  sortKeys: [],
  paths: [],
  maxBytes: 1_000_000,
};
const filtered: PageTask = { ...plain, conditions: [{ operator: "gte", index: 0, values: [7] }] };
const sorted: PageTask = { ...plain, sortKeys: [{ index: 0, descending: true }] };
const patient = new AbortController().signal;

async function rows(tenant: string, task: PageTask, signal = patient): Promise<unknown> {
  const paths = [join(directory, "results", "run_a.1.parquet")];
  const answer = await reader.page(tenant, { ...task, paths }, signal);
  return "rows" in answer ? JSON.parse(Buffer.from(answer.rows).toString()) : answer;
}

/** Processes of tenants that run, in the order of their start. */
const ofTenants = () =>
  [...started]
    .filter(([name, { hasEnded }]) => name.startsWith("tenant-reader-") && !hasEnded)
    .map(([, child]) => child);

/** Reads pages of a tenant in as many processes as it can have, and suspends them so that its next pages hang. */
async function suspendReaders(tenant: string): Promise<readonly Child[]> {
  const others = ofTenants();
  await Promise.all([rows(tenant, filtered), rows(tenant, filtered)]);
  const suspended = ofTenants().filter((child) => !others.includes(child));
  for (const { pid } of suspended) process.kill(pid, "SIGSTOP");
  return suspended;
}

/** Replaces time limits by signals that the test aborts: for each page one of its wait, then one of its reading. */
function holdTimeouts(): readonly AbortController[] {
  held = [];
  return held;
}

it("a tenant whose filtered pages hang delays no page of another tenant, nor its own plain ones", async () => {
  open();
  expect(await suspendReaders("loud")).toHaveLength(2);
  const leaving = new AbortController();
  const ended: string[] = [];
  const hanging = [filtered, sorted, filtered].map((task) =>
    rows("loud", task, leaving.signal).catch((error: unknown) => ended.push(String(error))),
  );
  expect(await rows("quiet", filtered)).toEqual([[7], [8]]);
  expect(await rows("quiet", sorted)).toEqual([[39], [38]]);
  expect(await rows("quiet", plain)).toEqual([[0], [1]]);
  expect(await rows("loud", plain)).toEqual([[0], [1]]);
  expect(ended).toEqual([]);
  leaving.abort("the caller left");
  await Promise.all(hanging);
  expect(ended).toEqual(Array(3).fill("the caller left"));
});

it("a filtered page has a lower priority than the service, a plain page has not", async () => {
  open();
  await Promise.all([rows("loud", filtered), rows("loud", plain)]);
  const niceness = [...started].map(([name, { pid }]) => [
    name.replace(/-\d.*$/, ""),
    getPriority(pid) - getPriority(),
  ]);
  expect(niceness.toSorted()).toEqual([
    ["reader", 0],
    ["tenant-reader", 5],
  ]);
});

it("a page that exceeds the deadline is killed with its process, and no other page fails", async () => {
  open();
  await rows("quiet", plain); // starts the process of plain pages
  const [suspended, other] = await suspendReaders("loud");
  other?.kill(); // the next page is read by the suspended one
  await other?.ended;
  const called = suspended && vi.spyOn(suspended, "call");
  const timeouts = holdTimeouts();
  const page = rows("loud", filtered);
  page.catch(() => {}); // awaited below
  await eventually(() => called?.mock.calls.length === 1);
  timeouts[1]?.abort();
  await expect(page).rejects.toMatchObject({ failure: { name: "PageTimedOut" } });
  expect(suspended?.hasEnded).toBe(true);
  expect(started.get(`reader-${process.pid}`)?.hasEnded).toBe(false);
  expect(await rows("loud", filtered)).toEqual([[7], [8]]);
});

it("the death of the processes of one tenant ends no other process, and its pages are read again", async () => {
  open();
  await rows("quiet", filtered);
  const [ofQuiet] = ofTenants();
  const suspended = await suspendReaders("loud");
  const pages = suspended.map(() => rows("loud", filtered));
  for (const child of suspended) child.kill();
  expect(await Promise.all(pages)).toEqual([
    [[7], [8]],
    [[7], [8]],
  ]);
  expect(await rows("quiet", filtered)).toEqual([[7], [8]]);
  expect(ofTenants()).toContain(ofQuiet);
  expect(suspended.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
});

it("pages of a tenant that would wait in great number, or for long, are refused", async () => {
  open();
  await suspendReaders("loud");
  const timeouts = holdTimeouts();
  const leaving = new AbortController();
  const names: string[] = [];
  const pages = Array.from({ length: 103 }, (_, index) =>
    rows("loud", filtered, leaving.signal).catch(({ failure }) => {
      names[index] = failure?.name;
    }),
  );
  await pages[102];
  expect(names.filter(Boolean)).toEqual(["TooManyPages"]);
  timeouts.at(-3)?.abort(); // of the last page that waits: the first two pages began to read afterwards
  await pages[101];
  expect(names[101]).toBe("TooManyPages");
  leaving.abort();
  await Promise.all(pages);
});

it("closing kills the processes of pages under way", async () => {
  open();
  const suspended = await suspendReaders("loud");
  const page = rows("loud", filtered);
  page.catch(() => {}); // awaited below
  await eventually(() => ofTenants().length === 2);
  await reader.close();
  expect(suspended.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
  await expect(page).rejects.toThrow();
});

it("a process that its tenant does not use ends", async () => {
  open();
  const tenants = createTenantReaders({ workDirectory: directory, spillMegabytes: 100 }, 6, 50);
  const paths = [join(directory, "results", "run_a.1.parquet")];
  await tenants.page("tenant", { ...filtered, paths }, patient);
  const [child] = ofTenants();
  expect(await child?.ended).toContain("SIGKILL");
  await tenants.close();
});
