import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SourceKind } from "@quern/adapter";
import { openSharedSources } from "@quern/duckdb";
import { addEngineSource } from "@quern/duckdb/loading";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createLocalBucket, openLocalFiles } from "../../../duckdb/test/sources/local-files.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { configuredSources } from "../../src/sources/configured-sources.ts";
import { temporaryDirectory } from "../fixture.ts";

let work: string;
let made = 0;
beforeAll(async () => {
  work = await temporaryDirectory();
});
afterAll(() => rm(work, { recursive: true, force: true }));

const kinds = new Map(["duckdb", "trino"].map((name) => [name, {} as SourceKind]));

/** Opens the catalog of a server with sources of a bucket, and sources of Trino in its data directory. */
async function catalogOf(inBucket: readonly string[], engines: readonly string[]) {
  const dataDir = join(work, String(++made));
  await mkdir(dataDir);
  const bucket = createLocalBucket(join(dataDir, "bucket"));
  const manifest = { version: "1-0a0a0a0a", catalogs: [], loads: [] };
  const sources = Object.fromEntries(inBucket.map((name) => [name, manifest]));
  if (inBucket.length > 0) bucket.index = { text: JSON.stringify({ format: 1, sources }), version: "1" };
  for (const source of engines)
    await addEngineSource({ dataDir, source }, { kind: "trino", address: `trino://reader@example.com/${source}` });
  const files = openLocalFiles(bucket, join(dataDir, "copies"));
  const shared = await openSharedSources({ files, onError: () => {}, pollMs: 600_000 });
  onTestFinished(() => shared.close());
  const logged: string[] = [];
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const catalog = createSourceCatalog(configuredSources({ dataDir, sources: "s3://bucket" }, shared, log), kinds);
  const listed = () => catalog.all(undefined).map(({ name, kind }) => `${name} ${kind}`);
  return { catalog, listed, logged };
}

it("takes the source of the bucket if the data directory has another of its name, and logs it once", async () => {
  const { catalog, listed, logged } = await catalogOf(["shop"], ["lake", "shop"]);
  expect([listed(), listed()]).toEqual(Array(2).fill(["lake trino", "shop duckdb"]));
  expect(catalog.named("shop")).toMatchObject({ kind: "duckdb", path: null });
  expect(logged).toEqual([
    "a data source is not used: Error: The bucket and the data directory have a source shop; remove one with `quern sources remove shop`.",
  ]);
});

it("has no source none beside one of the data directory, which is then the default", async () => {
  const { catalog, listed, logged } = await catalogOf([], ["lake"]);
  expect(listed()).toEqual(["lake trino"]);
  expect(catalog.find(undefined, undefined)).toMatchObject({ source: { name: "lake" } });
  expect((await catalogOf([], [])).listed()).toEqual(["none duckdb"]);
  expect((await catalogOf(["shop"], ["alps"])).listed()).toEqual(["alps trino", "shop duckdb"]);
  expect((await catalogOf(["samples"], ["alps"])).listed()).toEqual(["samples duckdb", "alps trino"]);
  expect(logged).toEqual([]);
});
