import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { createResultReader, type ResultReader } from "../../src/results/reader/reader.ts";
import { createResultStore } from "../../src/results/result-store.ts";
import { temporaryDirectory } from "../fixture.ts";
import { inDuckDB, readDatabases } from "../sources/data.ts";
import { describeResultStore } from "./result-store-contract.ts";

let work: string;
let reader: ResultReader;
let stores = 0;
beforeAll(async () => {
  work = await temporaryDirectory();
  reader = createResultReader(work);
});
afterAll(async () => {
  await reader.close();
  await rm(work, { recursive: true, force: true });
});

describe("results in a folder", () => {
  describeResultStore(async () => {
    const directory = join(work, `results-${++stores}`);
    const store = await createResultStore(directory, reader);
    let files = 0;
    return {
      store,
      async write(numbers) {
        const path = join(work, `written-${stores}-${++files}.parquet`);
        await inDuckDB(":memory:", `COPY (SELECT unnest([${numbers}]) AS c0) TO '${path}'`);
        const columns = [{ name: "n", kind: "number", engineType: "INTEGER" }] as const;
        return { path, columns, rowCount: numbers.length, release: async () => {} };
      },
      read: async (path) => (await readDatabases([], `FROM '${path}'`)).map(([n]) => Number(n)),
      async litter(run) {
        await writeFile(`${store.path(run)}.tmp`, "half");
        await mkdir(store.path(run).replace(".parquet", ".sorted"));
      },
      left: async () => [...new Set((await readdir(directory)).map((name) => name.split(".")[0] ?? ""))].sort(),
    };
  });
});
