import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { createSortedCopies, type SortedCopies, type SortedCopiesOptions } from "../../src/reader/sorted-copy.ts";
import { evictSortedCopies, sweepSortedCopies } from "../../src/reader/sorted-copy-cache.ts";
import { type PageTask, sortedCopyName } from "../../src/reader/task.ts";
import { inDuckDB } from "../sources/data.ts";

let directory: string;
let result: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  result = join(directory, "run_a.1.parquet");
});
afterEach(() => rm(directory, { recursive: true }));

const work = () => join(directory, "work");
const cache = () => join(directory, "cache");
const left = async () => (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(".parquet"));
const patience = new AbortController().signal;

function task(number: number): PageTask {
  const columns = [{ name: "n", kind: "number", engineType: "BIGINT" }] as const;
  const view = { conditions: [], sortKeys: [{ index: 0, descending: true }] };
  const page = { number, size: 10 };
  const form = { format: "csv", rowIndex: false, maxBytes: 1_000 } as const;
  return { result: "run_a.1", paths: [result], columns, rowCount: 30_000, page, ...view, ...form };
}

/** Writes the beginning of a copy, and the rest when `end` is called. */
function scriptedWriter() {
  const state = { begun: 0, aborted: 0, end: (): void => {} };
  const write: SortedCopiesOptions["write"] = async (_, { path: folder }, signal) => {
    const file = join(folder, sortedCopyName);
    await writeFile(file, "half");
    await new Promise<void>((resolve, reject) => {
      state.end = resolve;
      signal.addEventListener("abort", () => {
        state.aborted += 1;
        reject(new Error("the process was killed"));
      });
      state.begun += 1; // last, because tests then end or abort this copy
    });
    await inDuckDB(":memory:", `COPY (SELECT 1) TO '${file}' (FORMAT parquet)`);
  };
  return { state, copies: copiesWith(write) };
}

function copiesWith(write: SortedCopiesOptions["write"]): SortedCopies {
  return createSortedCopies({ write, workDirectory: work(), copyDirectory: cache(), maxBytes: 1e9 });
}

describe("a sorted copy", () => {
  it("is aborted when no page waits for it, and leaves nothing", async () => {
    const { state, copies } = scriptedWriter();
    const [first, second] = [new AbortController(), new AbortController()];
    const pages = [copies.of(task(2), true, first.signal), copies.of(task(3), true, second.signal)];
    await eventually(() => state.begun === 1);
    first.abort();
    await expect(pages[0]).rejects.toThrow("aborted");
    expect(state.aborted).toBe(0);
    second.abort();
    await expect(pages[1]).rejects.toThrow("aborted");
    await eventually(() => state.aborted === 1);
    await eventually(async () => (await left()).length === 0);
  });

  it("is written once, for the pages that still wait", async () => {
    const { state, copies } = scriptedWriter();
    const gone = new AbortController();
    const impatient = copies.of(task(2), true, gone.signal);
    const patient = copies.of(task(2), true, patience);
    await eventually(() => state.begun === 1);
    gone.abort();
    await expect(impatient).rejects.toThrow("aborted");
    state.end();
    const copied = await patient;
    expect(copied).toMatchObject({ sortKeys: [], rowCount: 1, rowNumber: "row_number" });
    expect(await left()).toEqual(copied.paths.map((path) => path.slice(directory.length + 1)));
    expect(await copies.of(task(3), false, patience)).toMatchObject({
      paths: copied.paths,
    });
    expect(state.begun).toBe(1);
  });

  it("is written again for a page after an abort", async () => {
    const { state, copies } = scriptedWriter();
    const gone = new AbortController();
    const impatient = copies.of(task(2), true, gone.signal);
    await eventually(() => state.begun === 1);
    gone.abort();
    await expect(impatient).rejects.toThrow("aborted");
    const next = copies.of(task(2), true, patience);
    await eventually(() => state.begun === 2);
    state.end();
    expect((await next).paths[0]).toContain(join(cache(), "run_a.1"));
  });

  it("is aborted when the service ends", async () => {
    const { state, copies } = scriptedWriter();
    const request = task(2);
    const page = copies.of(request, true, patience);
    await eventually(() => state.begun === 1);
    await copies.close();
    expect(await page).toBe(request);
    expect(await left()).toEqual([]);
  });

  it("has ended when the service has, also after an abort", async () => {
    const writer = { begun: false, ended: false };
    const copies = copiesWith(async (_, __, signal) => {
      const aborted = once(signal, "abort");
      writer.begun = true;
      await aborted;
      await new Promise((resolve) => setTimeout(resolve, 20)); // a killed process ends later
      writer.ended = true;
      throw new Error("the process was killed");
    });
    const gone = new AbortController();
    const page = copies.of(task(2), true, gone.signal);
    await eventually(() => writer.begun);
    gone.abort();
    await expect(page).rejects.toThrow("aborted");
    await copies.close();
    expect(writer.ended).toBe(true);
  });

  it("is not written for a page that was aborted before", async () => {
    const { state, copies } = scriptedWriter();
    await expect(copies.of(task(2), true, AbortSignal.abort())).rejects.toThrow("aborted");
    await copies.close();
    expect(state.begun).toBe(0);
  });

  it("is not written for fewer than 20,000 rows, without an order, or for the first page", async () => {
    const { state, copies } = scriptedWriter();
    const small = { ...task(2), rowCount: 19_999 };
    for (const request of [small, { ...task(2), sortKeys: [] }, task(1)])
      expect(await copies.of(request, true, patience)).toBe(request);
    expect(state.begun).toBe(0);
    const page = copies.of({ ...small, rowCount: 20_000 }, true, patience);
    await eventually(() => state.begun === 1);
    await copies.close();
    await page;
  });

  it("is not written without disk space", async () => {
    const { state, copies } = scriptedWriter();
    const request = task(2);
    expect(await copies.of(request, false, patience)).toBe(request);
    expect(state.begun).toBe(0);
  });
});

it("removes the oldest copies beyond the number of a result and the bytes of all results", async () => {
  const add = async (run: string, age: number, bytes = 100): Promise<void> => {
    const folder = join(cache(), `${run}.1`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${age}.parquet`), "x".repeat(bytes));
    await utimes(join(folder, `${age}.parquet`), 1_000 - age, 1_000 - age);
  };
  await writeFile(result, "x".repeat(5_000));
  for (let age = 1; age <= 10; age += 1) await add("run_a", age);
  await add("run_b", 0);
  await add("run_c", 20, 300);
  await evictSortedCopies(cache(), 1_200);
  const kept = [1, 2, 3, 4, 5, 6, 7, 8].map((age) => `cache/run_a.1/${age}.parquet`);
  expect((await left()).sort()).toEqual([
    ...kept,
    "cache/run_b.1/0.parquet",
    "cache/run_c.1/20.parquet",
    "run_a.1.parquet",
  ]);
  await evictSortedCopies(cache(), 350);
  expect((await left()).sort()).toEqual([...kept.slice(0, 2), "cache/run_b.1/0.parquet", "run_a.1.parquet"]);
  expect(existsSync(result)).toBe(true);
});

it("removes the copies of results that no longer exist, and no others", async () => {
  await sweepSortedCopies(cache(), async () => false); // nothing was copied yet
  for (const result of ["run_a.1", "run_a.2", "run_b.1"]) {
    await mkdir(join(cache(), result), { recursive: true });
    await writeFile(join(cache(), result, "copy.parquet"), "x");
  }
  await sweepSortedCopies(cache(), async (name) => name === "run_a.2");
  expect(await left()).toEqual(["cache/run_a.2/copy.parquet"]);
});
