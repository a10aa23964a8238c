import { fstatSync, fsyncSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResultStore } from "@quern/adapter";
import { resultStoreContract, submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inDuckDB, readDatabases } from "../../../duckdb/test/sources/data.ts";
import { createResultStore, resultName } from "../../src/results/result-store.ts";
import { openFilesIn, temporaryDirectory } from "../fixture.ts";

type ResultStoreCase = (typeof resultStoreContract)[number];

let work: string;
let stores = 0;
beforeAll(async () => {
  work = await temporaryDirectory();
});
afterAll(async () => {
  await rm(work, { recursive: true, force: true });
});

describe("results in a folder", () => {
  const cases = resultStoreContract.map(({ name, run }) => [name, run] as const);

  /** Runs a case on a store that answers one call of `open` wrongly, by its number. Returns the number of calls. */
  async function play(run: ResultStoreCase["run"], defective = 0): Promise<number> {
    const directory = join(work, `results-${++stores}`);
    const store = await createResultStore(directory);
    let openings = 0;
    let files = 0;
    await run({
      store: {
        ...store,
        async open(of) {
          openings += 1;
          if (openings !== defective) return store.open(of);
          const isThere = (await store.open(of).catch(() => undefined)) !== undefined;
          return isThere ? undefined : { paths: [], release: async () => {} };
        },
      },
      async write(numbers) {
        const path = join(work, `written-${stores}-${++files}.parquet`);
        await inDuckDB(":memory:", `COPY (SELECT unnest([${numbers}]) AS c0) TO '${path}'`);
        const columns = [{ name: "n", kind: "number", engineType: "INTEGER" }] as const;
        return { path, columns, rowCount: numbers.length, release: async () => {} };
      },
      read: async ([path]) => (await readDatabases([], `FROM '${path}'`)).map(([n]) => Number(n)),
      async addOrphan(run) {
        const result = join(directory, resultName(run));
        await writeFile(`${result}.parquet.tmp`, "half");
        await mkdir(`${result}.sorted`); // where earlier versions kept sorted copies
      },
      makeUnavailable: () => rename(directory, `${directory}-away`),
      storedRuns: async () => [...new Set((await readdir(directory)).map((name) => name.split(".")[0] ?? ""))].sort(),
    });
    return openings;
  }

  it.each(cases)("%s", async (_, run) => {
    await play(run);
  });

  it.each(cases)("%s: the contract fails for each opening that is answered wrongly", async (_, run) => {
    for (let opening = await play(run); opening > 0; opening -= 1) await expect(play(run, opening)).rejects.toThrow();
  });
});

/** Returns a written result, and the flushes of its commit, each of which fails if `isBroken` returns true for it. */
async function committed(name: string, isBroken: (isFolder: boolean) => boolean = () => false) {
  const directory = join(work, name);
  const run = createRun(submission().run, 0);
  const flushed: [isFolder: boolean, hasResult: boolean][] = [];
  const store: ResultStore = await createResultStore(directory, false, async (descriptor) => {
    const isFolder = fstatSync(descriptor).isDirectory();
    const opened = await store.open(run);
    await opened?.release();
    flushed.push([isFolder, opened !== undefined]);
    if (isBroken(isFolder)) throw new Error(`the ${isFolder ? "folder" : "file"} cannot be flushed`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    fsyncSync(descriptor); // fails after an early close
    flushed.push([isFolder, true]);
  });
  const path = join(work, `${name}.parquet`);
  await inDuckDB(":memory:", `COPY (SELECT 1 AS c0) TO '${path}'`);
  const commit = () => store.commit(run, { path, columns: [], rowCount: 1, release: async () => {} });
  return { directory, flushed, commit };
}

it("flushes the file and the folder that has its name by then, at the same time", async () => {
  const { flushed, commit } = await committed("flushed");
  await commit();
  // Windows cannot flush a folder.
  const both = process.platform === "win32" ? [false] : [false, true];
  expect(flushed).toEqual([...both, ...both].map((isFolder) => [isFolder, true]));
});

const itWithFolders = it.skipIf(process.platform === "win32"); // Windows cannot flush a folder
itWithFolders.each([
  ["file", false],
  ["folder", true],
])("stores no result whose %s cannot be flushed", async (name, broken) => {
  const { directory, flushed, commit } = await committed(`broken-${name}`, (isFolder) => isFolder === broken);
  await expect(commit()).rejects.toThrow(`the ${name} cannot be flushed`);
  expect(flushed.filter(([isFolder]) => isFolder !== broken)).toHaveLength(2); // the other flush has ended
  expect([await readdir(directory), await openFilesIn(directory)]).toEqual([[], []]);
});

it("closes the file and the folder of a commit, also of one that it refuses", async () => {
  const directory = join(work, "closed");
  const store = await createResultStore(directory);
  const path = join(directory, "written.parquet");
  await inDuckDB(":memory:", `COPY (SELECT 1 AS c0) TO '${path}'`);
  const run = createRun(submission().run, 0);
  const written = { path, columns: [], rowCount: 2, release: async () => {} };
  await expect(store.commit(run, written)).rejects.toThrow("the result file has 1 rows, but 2 were written");
  expect(await openFilesIn(work)).toEqual([]);
  expect(await store.commit(run, { ...written, rowCount: 1 })).toMatchObject({ rowCount: 1 });
  expect(await openFilesIn(work)).toEqual([]);
});

it("holds no result that was missing or could not be read", async () => {
  const directory = join(work, "held");
  const store = await createResultStore(directory);
  const run = createRun(submission().run, 0);
  const file = join(directory, `${resultName(run)}.parquet`);
  expect(await store.open(run)).toBeUndefined();
  await rename(directory, `${directory}-away`);
  await expect(store.open(run)).rejects.toMatchObject({ code: "ENOENT" });
  await rename(`${directory}-away`, directory);
  await writeFile(file, "");
  await store.remove(run);
  expect(await readdir(directory)).toEqual([]);
});

it("makes a result that only the service can read readable for its processes, if they have other users", async () => {
  const directory = join(work, "owner-only");
  const run = createRun(submission().run, 0);
  const file = join(directory, `${resultName(run)}.parquet`);
  const store = await createResultStore(directory);
  await writeFile(file, "", { mode: 0o600 });
  const modeAfter = async (forOtherUsers: boolean): Promise<number> => {
    await (await createResultStore(directory, forOtherUsers)).open(run);
    return (await stat(file)).mode & 0o777;
  };
  expect(await store.open(run)).toMatchObject({ paths: [file] });
  expect([await modeAfter(false), await modeAfter(true)]).toEqual(
    process.platform === "win32" ? [0o666, 0o666] : [0o600, 0o644],
  );
});

it("lets other work come in between while it sweeps many results", async () => {
  const directory = join(work, "many");
  const store = await createResultStore(directory);
  const ids = { tenantId: "tenant", userId: "user", sqlStatementId: "statement", dataSourceId: "source" };
  const asked = { reuseKey: "", parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  const names = Array.from({ length: 500 }, (_, index) => `run_${index}`);
  const owners = new Map(
    names.map((id): [string, RunRecord] => [
      id,
      { ...createRun({ ...ids, ...asked, id }, 0), state: "QUERY_STATE_RUNNING" },
    ]),
  );
  for (const owner of owners.values()) await writeFile(join(directory, `${resultName(owner)}.parquet`), "");
  let sinceOtherWork = 0;
  let most = 0;
  const otherWork = (): void => {
    sinceOtherWork = 0;
    if (most < 500) setImmediate(otherWork);
  };
  otherWork();
  await store.sweep(async (id) => {
    sinceOtherWork += 1;
    most = Math.max(most, sinceOtherWork);
    return owners.get(id);
  });
  expect(most).toBeLessThanOrEqual(100);
  most = 500;
  expect(await readdir(directory)).toHaveLength(500);
});
