import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WrittenResult } from "@quern/adapter";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { inDuckDB, readDatabases } from "../../duckdb/test/sources/data.ts";
import { createResultStore, type ResultStoreOptions, type S3ResultStore } from "../src/result-store.ts";

export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "quern-test-"));
}

export function runOf(id: string, change: Partial<RunRecord> = {}): RunRecord {
  const ids = { id, tenantId: "tenant", userId: "user", sqlStatementId: "statement", dataSourceId: "source" };
  const settings = { reuseKey: id, parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  return { ...createRun({ ...ids, ...settings }, 0), attempt: 1, ...change };
}

/** Opens a store with a cache of its own. */
export async function openStore(
  url: string,
  directory: string,
  change: Partial<ResultStoreOptions> = {},
): Promise<S3ResultStore> {
  const cacheDirectory = join(directory, "cache");
  await mkdir(cacheDirectory, { recursive: true });
  const rowCountOf = async (): Promise<number> => {
    throw new Error("not needed");
  };
  return createResultStore({
    url,
    cacheDirectory,
    maxCacheBytes: 1e9,
    isReadableForAll: false,
    rowCountOf,
    ...change,
  });
}

let files = 0;

/** Writes a result as the engine does. @param select Query with the columns `c0`, `c1`, … */
export async function writeResult(
  directory: string,
  select: string,
  rowCount: number,
  names: readonly string[] = ["n"],
): Promise<WrittenResult> {
  const path = join(directory, `written-${++files}.parquet`);
  await inDuckDB(":memory:", `COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)`);
  const columns = names.map((name) => ({ name, kind: "number", engineType: "BIGINT" }) as const);
  return { path, columns, rowCount, release: async () => {} };
}

/** Returns the rows of a query. */
export function query(sql: string): Promise<readonly (readonly unknown[])[]> {
  return readDatabases([], sql);
}
