import { readdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UnavailableError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { createResultStore } from "../../src/results/result-store.ts";
import { temporaryDirectory } from "../fixture.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  return () => rm(directory, { recursive: true, force: true });
});

const fresh = { ...createRun({ ...submission().run, id: "run_1" }, 0), attempt: 2 };

it.each<[string, Partial<RunRecord> | undefined, boolean]>([
  ["a waiting run", { state: "QUERY_STATE_READY" }, false],
  ["a running run", { state: "QUERY_STATE_RUNNING" }, true],
  ["a run whose result is being stored", { state: "QUERY_STATE_STREAMING_RESULTS" }, true],
  ["a run that has succeeded", { state: "QUERY_STATE_SUCCESS" }, true],
  ["an archived run", { state: "QUERY_STATE_SUCCESS", archivedAt: 0 }, false],
  ["another attempt of a run", { state: "QUERY_STATE_SUCCESS", attempt: 3 }, false],
  ["a failed run", { state: "QUERY_STATE_FAILED" }, false],
  ["a canceled run", { state: "QUERY_STATE_CANCELED" }, false],
  ["no run", undefined, false],
])("keeps the file of %s in a sweep only if it can have a result", async (_, change, isKept) => {
  const store = await createResultStore(directory);
  await writeFile(join(directory, "run_1.2.parquet"), "");
  const asked: string[] = [];
  await store.sweep(async (id) => {
    asked.push(id);
    return change && { ...fresh, ...change };
  });
  expect([asked, await readdir(directory)]).toEqual([["run_1"], isKept ? ["run_1.2.parquet"] : []]);
});

it("cannot open a result whose directory is missing, or is no directory, and holds no file then", async () => {
  const results = join(directory, "results");
  const store = await createResultStore(results);
  expect(await store.open(fresh)).toBeUndefined();
  await rm(results, { recursive: true });
  await expect(store.open(fresh)).rejects.toMatchObject({ code: "ENOENT" });
  await writeFile(results, "");
  await expect(store.open(fresh)).rejects.toMatchObject({ code: "ENOTDIR" });
  await rm(results);
  await createResultStore(results);
  await writeFile(join(results, "run_1.2.parquet"), "");
  await store.remove(fresh); // waits for no reader
  expect(await readdir(results)).toEqual([]);
});

it("is unavailable if its directory cannot be read", async () => {
  const store = await createResultStore(join(directory, "results"));
  expect(await store.check()).toBeUndefined();
  await rm(join(directory, "results"), { recursive: true });
  const error = await store.check().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error).toMatchObject({
    message: `The directory of results cannot be read and written: ${join(directory, "results")}`,
    cause: { code: "ENOENT" },
  });
});

it.runIf(process.platform === "linux")("leaves no file open that is no result", async () => {
  const store = await createResultStore(join(directory, "results"));
  const path = join(directory, "written");
  await writeFile(path, "no Parquet file");
  await expect(store.commit(fresh, { path, columns: [], rowCount: 1, release: async () => {} })).rejects.toThrow();
  const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  expect((await Promise.all(links)).filter((link) => link.startsWith(directory))).toEqual([]);
  expect(await readdir(join(directory, "results"))).toEqual([]);
});
