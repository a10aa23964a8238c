import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RecordTables, type ResultStore, UnavailableError, type WrittenResult } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { createDigest } from "../../src/migration/digest.ts";
import { migrateResults, type ResultMigration } from "../../src/migration/results.ts";
import { temporaryDirectory } from "../fixture.ts";

let directory: string;
/** Results that are open. */
let open: number;
let commits: { readonly id: string; readonly written: WrittenResult }[];
let progress: unknown[];
beforeEach(async () => {
  [open, commits, progress] = [0, [], []];
  directory = await temporaryDirectory();
  for (const name of ["source", "target", "work"]) await mkdir(join(directory, name));
  return () => rm(directory, { recursive: true });
});

/** Result store with one file for each run in a directory. */
function storeIn(name: string, change: Partial<ResultStore> = {}): ResultStore {
  const fileOf = ({ id }: RunRecord) => join(directory, name, id);
  return {
    async open(run) {
      if (!existsSync(fileOf(run))) return undefined;
      open += 1;
      const release = async (): Promise<void> => {
        open -= 1;
      };
      return { paths: [fileOf(run)], release };
    },
    async commit(run, written) {
      commits.push({ id: run.id, written });
      await copyFile(written.path, fileOf(run));
      return { columns: written.columns, rowCount: written.rowCount, totalBytes: 1 };
    },
    remove: async () => {},
    sweep: async () => {},
    check: async () => {},
    close: async () => {},
    ...change,
  };
}

const columns = [{ name: "n", kind: "number" as const, engineType: "INTEGER" }];
const result = { columns, rowCount: 7, totalBytes: 1 };
const runOf = (id: string, members: Partial<RunRecord> = {}): RunRecord => ({
  ...createRun({ ...submission().run, id }, 0),
  attempt: 2,
  result,
  archivedAt: null,
  ...members,
});

const write = (store: string, id: string, text = `rows of ${id}`) => writeFile(join(directory, store, id), text);

async function migrate(runs: readonly RunRecord[], change: Partial<ResultMigration> = {}) {
  const read = async function* () {
    yield runs.map((run) => ({ run }));
  };
  const outcome = await migrateResults({
    records: { runs: { read } } as unknown as RecordTables,
    source: storeIn("source"),
    target: storeIn("target"),
    stored: storeIn("target"),
    work: join(directory, "work"),
    isCheck: false,
    progress: (...call) => void progress.push(call),
    ...change,
  });
  expect([open, await readdir(join(directory, "work"))]).toEqual([0, []]);
  return outcome;
}

/** Returns the hash of results with the given texts. */
function hashOf(texts: Readonly<Record<string, string>>): string {
  const digest = createDigest();
  for (const [id, text] of Object.entries(texts))
    digest.add({ id, text: `${id}.2 ${createHash("sha256").update(text).digest("hex")}` });
  return digest.hash();
}

it("copies the results that the target does not have", async () => {
  for (const id of ["a", "b"]) await write("source", id);
  await write("target", "a");
  expect(await migrate([runOf("a"), runOf("b")])).toEqual({
    kind: "results",
    source: 2,
    target: 2,
    hash: hashOf({ a: "rows of a", b: "rows of b" }),
    isEqual: true,
    differences: [],
    missingResults: 0,
  });
  expect(commits).toMatchObject([{ id: "b", written: { columns, rowCount: 7 } }]);
  expect(commits[0]?.written.path).toMatch(/work.migrated-[0-9a-f-]{36}\.parquet$/);
  expect(await readFile(join(directory, "target", "b"), "utf8")).toBe("rows of b");
  expect(progress).toEqual([
    ["results", 1],
    ["results", 2],
  ]);
});

it("ignores runs without a result, and archived ones", async () => {
  await write("source", "a");
  await write("source", "b");
  expect(await migrate([runOf("a", { result: null }), runOf("b", { archivedAt: 1 })])).toMatchObject({
    source: 0,
    target: 0,
    isEqual: true,
    missingResults: 0,
  });
  expect([commits, progress]).toEqual([[], []]);
});

it("reports results that are missing, extra, changed or damaged, and copies none to compare them", async () => {
  for (const id of ["missing", "changed", "damaged"]) await write("source", id);
  for (const id of ["extra", "changed", "damaged"]) await write("target", id, "other rows");
  const target = storeIn("target");
  const stored = storeIn("target", {
    open: async (run) => {
      if (run.id === "damaged") throw new Error("no Parquet file");
      return target.open(run);
    },
  });
  const runs = ["missing", "extra", "changed", "damaged", "gone"].map((id) => runOf(id));
  const outcome = await migrate(runs, { stored, isCheck: true });
  expect(outcome).toMatchObject({ source: 3, target: 3, isEqual: false, missingResults: 2 });
  expect(outcome.differences.map(({ kind, id, fault }) => `${kind} ${id} ${fault}`).toSorted()).toEqual([
    "results changed changed",
    "results damaged changed",
    "results extra extra",
    "results missing missing",
  ]);
  expect(commits).toEqual([]);
});

it("counts a result that is missing in the source, and does not ask for it in the target", async () => {
  expect(await migrate([runOf("gone")])).toMatchObject({ source: 0, target: 0, isEqual: true, missingResults: 1 });
  expect(commits).toEqual([]);
});

it("reports ten of many results that differ", async () => {
  const runs = Array.from({ length: 12 }, (_, n) => runOf(`run_${n}`));
  for (const { id } of runs) await write("source", id);
  const outcome = await migrate(runs, { isCheck: true });
  expect([outcome.source, outcome.target, outcome.differences.length]).toEqual([12, 0, 10]);
});

it("works on at most four results at the same time", async () => {
  const runs = Array.from({ length: 9 }, (_, n) => runOf(`run_${n}`));
  const passes: (() => void)[] = [];
  const opened = new Promise<void>((resolve) => {
    passes.push(resolve);
  });
  let opening = 0;
  let most = 0;
  const source = storeIn("source", {
    open: async () => {
      opening += 1;
      most = Math.max(most, opening);
      if (opening === 4) passes[0]?.();
      await opened;
      await new Promise((resolve) => setImmediate(resolve));
      opening -= 1;
      return undefined;
    },
  });
  await migrate(runs, { source });
  expect(most).toBe(4);
});

it("removes its copy and fails if the target cannot store a result", async () => {
  await write("source", "a");
  const target = storeIn("target", { commit: () => Promise.reject(new Error("the bucket is full")) });
  await expect(migrate([runOf("a")], { target })).rejects.toThrow("the bucket is full");
  expect([open, await readdir(join(directory, "work"))]).toEqual([0, []]);
});

it.each([
  new UnavailableError("The bucket cannot be reached."),
  Object.assign(new Error("no space left on device"), { code: "ENOSPC" }),
])("fails if the target cannot be read: %s", async (error) => {
  await write("source", "a");
  const stored = storeIn("target", { open: () => Promise.reject(error) });
  await expect(migrate([runOf("a")], { stored })).rejects.toBe(error);
  expect(open).toBe(0);
});

it.each([
  ["none", [], 0],
  ["two", ["a", "b"], 2],
])("refuses a result of %s files", async (_, names, count) => {
  await write("source", "a");
  await write("source", "b");
  const paths = names.map((name) => join(directory, "source", name));
  const source = storeIn("source", { open: async () => ({ paths, release: async () => {} }) });
  await expect(migrate([runOf("run_1")], { source })).rejects.toThrow(
    `Invalid result of run_1: one file is expected, got ${count}.`,
  );
});
