import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFiles } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { createSourceCatalog } from "../../../server/src/sources/catalog.ts";
import { eventually } from "../../../server/test/fixture.ts";
import { describeSourceCatalog } from "../../../server/test/sources/catalog-contract.ts";
import {
  addEngineSource,
  addToSource,
  checkSources,
  listSources,
  loadSource,
  removeFromSource,
} from "../../src/loading.ts";
import { sourceKindOf } from "../../src/source-kind.ts";
import type { HeldDatabases } from "../../src/sources/held-data.ts";
import { idleExecutor } from "../executor/idle-executor.ts";
import { createBuckets, sourceNamed } from "./buckets.ts";
import { readDatabases } from "./data.ts";
import { openLocalFiles, storedNames } from "./local-files.ts";

const { newBucket, newFolder, numbersOf, placeIn, serverOf, writeNumbers } = createBuckets();

describe("a source in a shared storage", () => {
  describeSourceCatalog(async () => {
    const bucket = newBucket();
    const from = await writeNumbers(0);
    await addToSource(placeIn(bucket), { from });
    const sources = await serverOf(bucket);
    const kind = sourceKindOf(idleExecutor, "", sources);
    const replace = async (n: number): Promise<void> => {
      await writeNumbers(n);
      await loadSource(placeIn(bucket));
      await sources.refresh(); // the cases do not wait for a poll
    };
    const read = async (data: unknown) =>
      (await readDatabases((data as HeldDatabases).databases, "FROM numbers")).map(([n]) => Number(n));
    return { catalog: createSourceCatalog(sources.configurations, new Map([["duckdb", kind]])), replace, read };
  });

  it("has the same revision and rows on all servers; a run reads the new version before the next poll", async () => {
    const bucket = newBucket();
    await addToSource(placeIn(bucket), { from: await writeNumbers(1, 2) });
    const [one, other] = [await serverOf(bucket), await serverOf(bucket)];
    expect(one.revision(sourceNamed("data"))).toBe(other.revision(sourceNamed("data")));
    expect([await numbersOf(one), await numbersOf(other)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    await writeNumbers(3);
    await loadSource(placeIn(bucket));
    await one.refresh();
    const revision = one.revision(sourceNamed("data"));
    expect(other.revision(sourceNamed("data"))).not.toBe(revision);
    const held = await other.hold(sourceNamed("data"));
    expect([held.revision, await readDatabases(held.databases, "FROM numbers")]).toEqual([revision, [["3"]]]);
    await held.release();
  });

  it("is seen by a poll, also its removal, and an outage is reported once", async () => {
    const bucket = newBucket();
    let isAway = false;
    const { index } = openLocalFiles(bucket, newFolder());
    const failing: SourceFiles["index"] = (known) => (isAway ? Promise.reject(new Error("away")) : index(known));
    const server = await serverOf(bucket, 10, { index: failing });
    expect(server.configurations()).toEqual([{ name: "none", provider: "quern" }]);
    await addToSource(placeIn(bucket), { from: await writeNumbers(1), runAs: "user" });
    await eventually(() => server.configurations()[0]?.name === "data");
    expect(server.configurations()).toMatchObject([{ name: "data", provider: "quern", runAs: "user" }]);
    isAway = true;
    await eventually(() => server.errors.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(server.errors).toHaveLength(1);
    isAway = false;
    await removeFromSource(placeIn(bucket));
    await eventually(() => server.configurations()[0]?.name === "none");
    await addToSource(placeIn(bucket, "another"), { from: await writeNumbers(1) });
    await expect(server.hold(sourceNamed("data"))).rejects.toMatchObject({ failure: { name: "DataSourceNotFound" } });
  });

  it("that was the last one does not run on an empty database after its removal", async () => {
    const bucket = newBucket();
    const server = await serverOf(bucket);
    expect(await server.hold(sourceNamed("none"))).toMatchObject({ revision: "none", databases: [] });
    await addToSource(placeIn(bucket), { from: await writeNumbers(1) });
    await server.refresh();
    await removeFromSource(placeIn(bucket));
    await expect(server.hold(sourceNamed("data"))).rejects.toMatchObject({ failure: { name: "DataSourceNotFound" } });
  });

  it("is read from a version that a load replaces meanwhile, and a lost file is an error in one line", async () => {
    const bucket = newBucket();
    await addToSource(placeIn(bucket), { from: await writeNumbers(1) });
    const files = openLocalFiles(bucket, newFolder());
    let isFirst = true;
    const server = await serverOf(bucket, 600_000, {
      async open(file) {
        if (isFirst) {
          isFirst = false;
          await writeNumbers(2);
          await loadSource(placeIn(bucket));
          await rm(join(bucket.directory, file.name)); // as the sweep of the leader does
        }
        return files.open(file);
      },
    });
    expect(await numbersOf(server)).toEqual([2]);
    const [left = ""] = await storedNames(bucket);
    await rm(join(bucket.directory, left));
    await expect((await serverOf(bucket)).hold(sourceNamed("data"))).rejects.toThrow(
      "Missing file of the data source in local: data; remove the source with `quern sources remove data`, and add it again.",
    );
  });

  it("with several catalogs is refused at once if the local copies have no space for all of them", async () => {
    const bucket = newBucket();
    const place = placeIn(bucket);
    const from = await writeNumbers(1);
    await addToSource(place, { from });
    expect(await numbersOf(await serverOf(bucket, 600_000, { maxCopyBytes: 1 }))).toEqual([1]); // a file alone
    await addToSource(place, { from, as: "other.main.copied" });
    const fetches = bucket.fetches.length;
    const server = await serverOf(bucket, 600_000, { maxCopyBytes: 1_000 });
    await expect(server.hold(sourceNamed("data"))).rejects.toMatchObject({
      failure: {
        name: "DataSourceTooLarge",
        message: expect.stringMatching(
          /^The data source data is too large: its files have \d+ bytes; the operator can raise maxSourceCacheBytes, which is 1000\.$/,
        ),
        data: { category: "DATA_SOURCE", retryable: false },
      },
    });
    expect(bucket.fetches).toHaveLength(fetches);
  });
});

describe("a load into a shared storage", () => {
  it("keeps the catalogs that it does not change, and lists and checks tables of all", async () => {
    const bucket = newBucket();
    const place = placeIn(bucket);
    const from = await writeNumbers(1, 2);
    await addToSource(place, { from });
    await addToSource(place, { from, as: "other.main.copied" });
    await addToSource(place, { from, as: "main.twice" });
    expect(await storedNames(bucket)).toHaveLength(3);
    const listed = await listSources(place.files);
    expect(listed.map(({ table, rows }) => [table, rows])).toEqual([
      ["data.main.numbers", 2],
      ["data.main.twice", 2],
      ["other.main.copied", 2],
    ]);
    expect(listed[0]).toMatchObject({ source: "data", from });
    expect(bucket.fetches).toHaveLength(1); // only the changed catalog was copied, and none for the list
    expect((await checkSources(place.files, "data")).map(({ ok, rows }) => [ok, rows])).toEqual(
      Array(3).fill([true, 2]),
    );
    await removeFromSource(place, ["other.main.copied"]);
    expect((await listSources(place.files)).map(({ table }) => table)).toEqual([
      "data.main.numbers",
      "data.main.twice",
    ]);
    expect(await numbersOf(await serverOf(bucket), "FROM twice")).toEqual([1, 2]);
  });

  it("of several sources at the same time succeeds; of several of one source, one does", async () => {
    const bucket = newBucket();
    const from = await writeNumbers(1);
    await Promise.all(["a", "b", "c"].map((name) => addToSource(placeIn(bucket, name), { from })));
    expect((await listSources(placeIn(bucket).files)).map(({ source }) => source)).toEqual(["a", "b", "c"]);
    const loads = await Promise.allSettled(["d", "d", "d"].map((name) => addToSource(placeIn(bucket, name), { from })));
    expect(loads.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(loads.flatMap((load) => (load.status === "rejected" ? [load.reason.message] : []))).toEqual(
      Array(2).fill("Source in use: another command has changed d in local; run this one again"),
    );
  });

  it("and a source of another engine cannot have the same name", async () => {
    const place = placeIn(newBucket());
    const from = await writeNumbers(1);
    const engine = { kind: "trino", address: "trino://reader@example.com/lake" };
    await addToSource(place, { from });
    await expect(addEngineSource(place, engine)).rejects.toThrow(
      "Name of a source already in use: data has loaded tables in local; remove them with `quern sources remove data`, or choose another name",
    );
    const lake = { ...place, source: "lake" };
    await addEngineSource(lake, engine);
    await expect(addToSource(lake, { from })).rejects.toThrow(
      /^Name of a source already in use: lake is the file .*lake/,
    );
    await rm(join(place.dataDir, "sources"), { recursive: true });
  });

  it("whose last answer was lost is a success", async () => {
    const bucket = newBucket();
    const place = placeIn(bucket);
    const files = {
      ...place.files,
      replaceIndex: async (...change: Parameters<SourceFiles["replaceIndex"]>) => {
        await place.files.replaceIndex(...change);
        return false; // as a repeated request sees its own write
      },
    };
    await addToSource({ ...place, files }, { from: await writeNumbers(1) });
    expect(await numbersOf(await serverOf(bucket))).toEqual([1]);
  });

  it("refuses an index of something else, of a newer version, and one with a path", async () => {
    const bucket = newBucket();
    const indexWith = (name: string): string => {
      const catalogs = [{ name: "data", file: { name, bytes: 1, checksum: "0" }, tables: [] }];
      return JSON.stringify({ format: 1, sources: { data: { version: "1-0a0a0a0a", loads: [], catalogs } } });
    };
    bucket.index = { text: indexWith("data/1-0a0a0a0a.duckdb"), version: "1" };
    expect((await serverOf(bucket)).configurations()).toMatchObject([{ name: "data" }]);
    const paths = ["data/../../x.duckdb", "data/1-0a0a0a0a.duckdb/../../x", "other/1-0a0a0a0a.duckdb"];
    for (const text of ["", "null", "{}", '{"format":1,"sources":[]}', ...paths.map(indexWith)]) {
      bucket.index = { text, version: "1" };
      await expect(serverOf(bucket)).rejects.toThrow(/^Invalid index of data sources in local: /);
    }
    bucket.index = { text: '{"format":2}', version: "1" };
    await expect(serverOf(bucket)).rejects.toThrow("have the format of a newer version of Quern; update this version.");
  });
});
