import { rm } from "node:fs/promises";
import { type Deadline, EngineLostError, StatementError } from "@quern/adapter";
import { afterAll, afterEach, beforeEach, describe, expect, it, type Mock, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { ReaderOptions, ResultReader } from "../../src/reader/reader.ts";
import type { PageAnswer, PageTask } from "../../src/reader/task.ts";

/** Page that a process has to read. The test ends it. */
interface Reading {
  readonly kind: "shared" | "tenant";
  readonly tenantId: string | undefined;
  readonly task: PageTask;
  readonly signal: AbortSignal;
  readonly resolve: (answer: PageAnswer) => void;
  readonly reject: (error: unknown) => void;
}

let readings: Reading[];
let closed: string[];
let options: Record<string, unknown>[];
function read(kind: Reading["kind"], tenantId: string | undefined, task: PageTask, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<PageAnswer>();
  readings.push({ kind, tenantId, task, signal, resolve, reject });
  return promise;
}
vi.mock("@quern/adapter", async (load) => ({
  ...(await load<object>()),
  startDeadline(ms: number): Deadline {
    const controller = new AbortController();
    const end = vi.fn();
    deadlines.push({ ms, controller, end });
    return { signal: controller.signal, end };
  },
}));
vi.mock("../../src/reader/shared-reader.ts", () => ({
  createSharedReader: () => ({
    page: (task: PageTask, signal: AbortSignal) => read("shared", undefined, task, signal),
    close: async () => void closed.push("shared"),
  }),
}));
vi.mock("../../src/reader/tenant-readers.ts", () => ({
  createTenantReaders: (ofTenants: Record<string, unknown>, maxPages: number) => {
    options.push({ ...ofTenants, maxPages });
    return {
      page: (tenantId: string, task: PageTask, signal: AbortSignal) => read("tenant", tenantId, task, signal),
      close: async () => void closed.push("tenants"),
    };
  },
}));
vi.mock("../../src/reader/sorted-copy.ts", () => ({
  copyWriter: (...given: unknown[]) => given,
  createSortedCopies: (ofCopies: Record<string, unknown>) => {
    options.push(ofCopies);
    return {
      of: async (task: PageTask, mayCreate: boolean) => ({ ...task, result: `${task.result} ${mayCreate}` }),
      close: async () => void closed.push("copies"),
    };
  },
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { createResultReader } = await import("../../src/reader/reader.ts");

let directory: string;
let reader: ResultReader;
let deadlines: { readonly ms: number; readonly controller: AbortController; readonly end: Mock }[];
beforeEach(async () => {
  [readings, closed, options, deadlines] = [[], [], [], []];
  directory = await temporaryDirectory();
  reader = open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

function open(change: Partial<ReaderOptions> = {}): ResultReader {
  const limits = { spillMegabytes: 100, maxCopyBytes: 7, filteredPageTimeoutSeconds: 30 };
  return createResultReader({ ...limits, workDirectory: directory, hasSpace: async () => true, ...change });
}

const plain: PageTask = {
  result: "run_a.1",
  paths: ["a"],
  columns: [],
  rowCount: 40,
  maxBytes: 1_000,
  page: { number: 1, size: 2 },
  format: "csv",
  rowIndex: false,
  conditions: [],
  sortKeys: [],
};
const filtered: PageTask = { ...plain, conditions: [{ operator: "eq", index: 0, values: [7] }] };
const sorted: PageTask = { ...plain, sortKeys: [{ index: 0, descending: true }] };
const patient = new AbortController().signal;
const answer: PageAnswer = {
  position: { currentPageNumber: 1, currentPageSize: 2, totalRows: 40, totalPages: 20 },
  rows: Buffer.from("[]"),
};

/** Requests a page, and waits until all callbacks that are due have run. */
async function request(tenantId: string, task: PageTask, signal = patient) {
  const page = reader.page(tenantId, task, signal);
  page.catch(() => {}); // awaited by the test
  await flushPromises();
  return { page };
}
const flushPromises = () => new Promise((resolve) => setImmediate(resolve));

describe("plain pages", () => {
  it("are read in the shared process: two of a tenant, and three at the same time", async () => {
    for (const tenant of ["a", "a", "a", "b", "c"]) await request(tenant, plain);
    expect(readings.map(({ kind }) => kind)).toEqual(["shared", "shared", "shared"]);
    readings[0]?.resolve(answer);
    await flushPromises();
    expect(readings).toHaveLength(4);
    expect(new Set(deadlines.map(({ ms }) => ms))).toEqual(new Set([60_000]));
  });

  it("that wait are at most 100 of a tenant", async () => {
    for (let page = 0; page < 102; page += 1) await request("a", plain);
    const { page } = await request("a", plain);
    await expect(page).rejects.toMatchObject({
      failure: {
        name: "TooManyPages",
        message: "Too many pages of the tenant wait: 100.",
        data: { category: "RESOURCE" },
      },
    });
    const { page: other } = await request("b", plain);
    readings.at(-1)?.resolve(answer);
    expect(await other).toBe(answer);
  });

  it("that wait too long are refused, and those whose caller leaves are not", async () => {
    for (let page = 0; page < 2; page += 1) await request("a", plain);
    const { page: late } = await request("a", plain);
    deadlines.at(-1)?.controller.abort();
    await expect(late).rejects.toMatchObject({
      failure: { name: "TooManyPages", message: "The page has waited 60 seconds for other pages." },
    });
    const caller = new AbortController();
    const { page: left } = await request("a", plain, caller.signal);
    caller.abort("left");
    await expect(left).rejects.toBe("left");
  });

  it("are read once more if their process ends, but not a third time, nor after their deadline", async () => {
    const { page } = await request("a", plain);
    readings[0]?.reject(new EngineLostError("lost"));
    await flushPromises();
    readings[1]?.resolve(answer);
    expect(await page).toBe(answer);
    const { page: again } = await request("a", plain);
    readings[2]?.reject(new EngineLostError("lost"));
    await flushPromises();
    readings[3]?.reject(new EngineLostError("lost again"));
    await expect(again).rejects.toThrow("lost again");
    const { page: late } = await request("a", plain);
    deadlines.at(-1)?.controller.abort();
    readings[4]?.reject(new EngineLostError("lost"));
    await expect(late).rejects.toThrow("lost");
    const { page: broken } = await request("a", plain);
    readings[5]?.reject(new Error("broken"));
    await expect(broken).rejects.toThrow("broken");
    expect(readings).toHaveLength(6);
  });
});

describe("filtered and sorted pages", () => {
  it("are read in processes of their tenant: two of a tenant, and six at the same time", async () => {
    for (const tenant of ["a", "a", "a", "b", "b", "c", "c", "d"]) await request(tenant, filtered);
    expect(readings.map(({ kind, tenantId }) => `${kind} ${tenantId}`)).toEqual(
      ["a", "a", "b", "b", "c", "c"].map((tenant) => `tenant ${tenant}`),
    );
    readings[0]?.resolve(answer);
    await flushPromises();
    expect(readings[6]?.tenantId).toBe("a"); // it has waited for longest
    expect(new Set(deadlines.map(({ ms }) => ms))).toEqual(new Set([30_000]));
  });

  it.each([
    ["plain", plain],
    ["filtered", filtered],
  ])("that are %s end their time limits, also after an error", async (_, task) => {
    const { page } = await request("a", task);
    readings[0]?.resolve(answer);
    await page;
    const { page: broken } = await request("a", task);
    readings[1]?.reject(new Error("broken"));
    await expect(broken).rejects.toThrow("broken");
    expect(deadlines.map(({ end }) => end.mock.calls.length)).toEqual([1, 1, 1, 1]); // of each wait, and each page
  });

  it("are read from a sorted copy if they are sorted and the disk has space", async () => {
    const hasSpace = vi.fn(async () => true);
    reader = open({ hasSpace });
    await request("a", sorted);
    await request("b", filtered);
    expect(hasSpace).toHaveBeenCalledTimes(1);
    hasSpace.mockResolvedValue(false);
    await request("c", sorted);
    expect(readings.map(({ task }) => task.result)).toEqual(["run_a.1 true", "run_a.1 false", "run_a.1 false"]);
  });

  it("that take too long are refused, unless the caller has left or a value cannot be compared", async () => {
    const failing = async (error: unknown, abort: "timeout" | "caller" | "both" | "none") => {
      const caller = new AbortController();
      const { page } = await request("a", filtered, caller.signal);
      if (abort === "timeout" || abort === "both") deadlines.at(-1)?.controller.abort();
      if (abort === "caller" || abort === "both") caller.abort("left");
      readings.at(-1)?.reject(error);
      return page.catch((thrown: unknown) => thrown);
    };
    const error = new Error("interrupted");
    expect(await failing(error, "timeout")).toMatchObject({
      failure: {
        name: "PageTimedOut",
        message: "The page took longer than 30 seconds.",
        data: { category: "RESOURCE" },
      },
    });
    expect(await failing(error, "both")).toBe("left");
    expect(await failing(error, "caller")).toBe("left");
    expect(await failing(error, "none")).toBe(error);
    const value = new StatementError({ name: "ValueError", message: "m", data: { category: "INTERNAL" } });
    expect(await failing(value, "timeout")).toBe(value);
    const other = new StatementError({ name: "ReadError", message: "m", data: { category: "INTERNAL" } });
    expect(await failing(other, "timeout")).toMatchObject({ failure: { name: "PageTimedOut" } });
    await request("a", filtered);
    await request("a", filtered);
    expect(readings.at(-1)?.signal.aborted).toBe(false);
  });
});

it("gives the processes a lower priority, and the copies their directory", () => {
  const [tenants, copies] = options;
  expect(tenants).toMatchObject({ priority: "reduced", maxPages: 6 });
  expect(copies).toMatchObject({ copyDirectory: `${directory}/copies`, maxBytes: 7, workDirectory: directory });
  expect(copies?.write).toEqual([expect.objectContaining({ priority: "reduced" }), 7]);
  open({ priority: "low", copyDirectory: "elsewhere" });
  expect(options[2]).toMatchObject({ priority: "low" });
  expect(options[3]).toMatchObject({ copyDirectory: "elsewhere" });
  open({ priority: "normal" });
  expect(options[4]).toMatchObject({ priority: "reduced" });
});

it("closes all processes", async () => {
  await reader.close();
  expect(closed.toSorted()).toEqual(["copies", "shared", "tenants"]);
});
