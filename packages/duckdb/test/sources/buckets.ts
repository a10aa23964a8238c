import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source, SourceFiles } from "@quern/adapter";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { SourceLocation } from "../../src/loading.ts";
import { openSharedSources, type SharedSources } from "../../src/sources/shared-sources.ts";
import { readDatabases } from "./data.ts";
import { createLocalBucket, type LocalBucket, openLocalFiles } from "./local-files.ts";

export function sourceNamed(name: string): Source {
  return { name, provider: "quern", kind: "duckdb", path: null, lowerCaseColumns: false };
}

/** Creates the stand-ins for buckets of a test file, in a directory that exists during its tests. */
export function createBuckets() {
  let work: string;
  let made = 0;
  beforeAll(async () => {
    work = await temporaryDirectory();
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  const newFolder = (): string => join(work, String(++made));

  return {
    newFolder,
    newBucket: (): LocalBucket => createLocalBucket(newFolder()),

    async writeNumbers(...numbers: readonly number[]): Promise<string> {
      const path = join(work, "numbers.csv");
      await writeFile(path, ["n", ...numbers, ""].join("\n"));
      return path;
    },

    /** Opens the sources of a bucket as a server does, which polls them if `pollMs` is short. */
    async serverOf(bucket: LocalBucket, pollMs = 600_000, change: Partial<SourceFiles> = {}) {
      const errors: unknown[] = [];
      const files = { ...openLocalFiles(bucket, newFolder()), ...change };
      const sources = await openSharedSources({ files, onError: (error) => errors.push(error), pollMs });
      onTestFinished(() => sources.close());
      return Object.assign(sources, { errors });
    },

    placeIn: (bucket: LocalBucket, source = "data") =>
      ({ dataDir: work, source, files: openLocalFiles(bucket, newFolder()) }) satisfies SourceLocation,

    async numbersOf(sources: SharedSources, sql = "FROM numbers"): Promise<readonly unknown[]> {
      const held = await sources.hold(sourceNamed("data"));
      const rows = await readDatabases(held.databases, sql);
      await held.release();
      return rows.flat().map(Number);
    },
  };
}
