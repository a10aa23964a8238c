import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CallerRequest, QueuedRun } from "@quern/adapter";
import { createRequest, createRun } from "@quern/query-run/record";
import { migrateStore } from "@quern/server/administration";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { inDuckDB } from "../../../duckdb/test/sources/data.ts";
import { lockDataDirectory } from "../../src/common/data-directory.ts";
import { createResultStore } from "../../src/results/result-store.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { startServer, temporaryDirectory } from "../fixture.ts";

let seeded: string;
beforeAll(async () => {
  seeded = await temporaryDirectory();
  await seed(seeded);
});
afterAll(() => rm(seeded, { recursive: true }));

let folder: string;
let source: string;
let target: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  [source, target] = [join(folder, "source"), join(folder, "target")];
  await cp(seeded, source, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

const runCount = 600;

/** Creates a data directory with runs, one of which waits, and results of the first two. */
async function seed(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const store = openSqliteStore(join(dataDir, "quern.db"));
  const results = await createResultStore(join(dataDir, "results"));
  const columns = [{ name: "n", kind: "number", engineType: "BIGINT" }] as const;
  const ids = { tenantId: "tenant", userId: "ann", sqlStatementId: "st_1", dataSourceId: "source" };
  const settings = { parameters: { a: 1 }, tags: { a: "b" }, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  await store.records.statements.write([{ tenantId: "tenant", id: "st_1", sql: "select 1", statementHash: "hash" }]);
  const runs: QueuedRun[] = [];
  const requests: CallerRequest[] = [];
  for (let number = 0; number < runCount; number += 1) {
    const id = `run_${number}`;
    const queued = createRun({ id, ...ids, ...settings, reuseKey: id }, number);
    const ended = { ...queued, state: "QUERY_STATE_SUCCESS", attempt: 1, endedAt: number, expiresAt: 9e15 } as const;
    const path = join(dataDir, `${id}.parquet`);
    const hasResult = number < 2;
    if (hasResult) await inDuckDB(":memory:", `COPY (SELECT ${number} AS c0) TO '${path}' (FORMAT parquet)`);
    const result = hasResult
      ? await results.commit({ ...queued, attempt: 1 }, { path, columns, rowCount: 1, release: async () => {} })
      : null;
    const run = number === runCount - 1 ? queued : { ...ended, result, archivedAt: hasResult ? null : number };
    runs.push({ run, maxRunningRuns: 2, isShareable: true });
    const request = createRequest(
      { id: `req_${number}`, userId: "ann", tags: {}, maxAgeMinutes: 0, resultTTLHours: 1, idempotencyKey: null },
      run,
      true,
      number,
    );
    requests.push({ request, apiKeyId: null, withdrawnAt: null });
  }
  await store.records.runs.write(runs);
  await store.records.requests.write(requests);
  await store.settings.set("linkSecret", '"secret"');
  await store.close();
}

const migrate = (change: Partial<Parameters<typeof migrateStore>[0]> = {}) =>
  migrateStore({ source, target: { dataDir: target }, ...change });
const countsOf = ({ kinds }: Awaited<ReturnType<typeof migrateStore>>) =>
  Object.fromEntries(kinds.flatMap(({ kind, target: count }) => (count === 0 ? [] : [[kind, count]])));

/** Runs statements on the database of a data directory. */
function change(dataDir: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, "quern.db"));
  database.exec(sql);
  database.close();
}

it("copies all records and results, and says the same when it is called again", async () => {
  const report = await migrate();
  expect(report).toMatchObject({ isEqual: true, differences: [], missingResults: 0 });
  expect(countsOf(report)).toEqual({ settings: 1, statements: 1, runs: runCount, requests: runCount, results: 2 });
  expect(await migrate()).toEqual(report);
  expect(await migrate({ check: true })).toEqual(report);
  expect((await readdir(join(target, "results"))).sort()).toEqual(["run_0.1.parquet", "run_1.1.parquet"]);
});

it("continues an interrupted migration; until then, no server starts on the target", async () => {
  const interrupt = (): void => {
    throw new Error("interrupted");
  };
  const onProgress = (kind: string): void => (kind === "runs" ? interrupt() : undefined);
  await expect(migrate({ onProgress })).rejects.toThrow("interrupted");
  await expect(startServer({ dataDir: target })).rejects.toThrow(
    `Unfinished migration of the store from the data directory ${source}; run the same quern migrate-store again`,
  );
  expect(countsOf(await migrate())).toMatchObject({ runs: runCount, requests: runCount, results: 2 });
  await using server = await startServer({ dataDir: target });
  expect(await (await fetch(`${server.url}/healthz`)).status).toBe(200);
});

it("finds a changed, missing and additional record, and a changed and missing result", async () => {
  await migrate();
  change(target, "UPDATE runs SET record = json_set(record, '$.tags.a', 'c') WHERE id = 'run_5'");
  change(target, "DELETE FROM requests WHERE id = 'req_7'; INSERT INTO settings VALUES ('new', '1')");
  await writeFile(join(target, "results", "run_0.1.parquet"), "another");
  await rm(join(target, "results", "run_1.1.parquet"));
  const { isEqual, differences } = await migrate({ check: true });
  expect(isEqual).toBe(false);
  expect(differences.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
    { kind: "settings", id: "new", fault: "extra" },
    { kind: "requests", id: "req_7", fault: "missing" },
    { kind: "results", id: "run_0", fault: "changed" },
    { kind: "results", id: "run_1", fault: "missing" },
    { kind: "runs", id: "run_5", fault: "changed" },
  ]);
});

it("copies nothing when it only compares", async () => {
  const onProgress = (kind: string): void => {
    if (kind === "requests") throw new Error("interrupted");
  };
  await expect(migrate({ onProgress })).rejects.toThrow("interrupted");
  change(target, "DELETE FROM requests; DELETE FROM runs WHERE id = 'run_5'");
  const report = await migrate({ check: true });
  expect(report.isEqual).toBe(false);
  expect(countsOf(report)).toEqual({ settings: 1, statements: 1, runs: runCount - 1 });
  expect(await migrate({ check: true })).toEqual(report);
  expect(countsOf(await migrate())).toMatchObject({ runs: runCount, requests: runCount, results: 2 });
});

it("finishes no migration when it only compares", async () => {
  const onProgress = (kind: string, count: number): void => {
    if (kind === "results" && count === 2) throw new Error("interrupted");
  };
  await expect(migrate({ onProgress })).rejects.toThrow("interrupted");
  expect(await migrate({ check: true })).toMatchObject({ isEqual: true, differences: [] });
  await expect(startServer({ dataDir: target })).rejects.toThrow("Unfinished migration");
});

it("leaves the target unfinished if the source has changed since an interruption", async () => {
  const onProgress = (kind: string): void => {
    if (kind === "requests") throw new Error("interrupted");
  };
  await expect(migrate({ onProgress })).rejects.toThrow("interrupted");
  change(source, "DELETE FROM requests WHERE id = 'req_3'; DELETE FROM runs WHERE id = 'run_3'");
  const { differences } = await migrate();
  expect(differences).toContainEqual({ kind: "runs", id: "run_3", fault: "extra" });
  await expect(startServer({ dataDir: target })).rejects.toThrow("Unfinished migration");
});

it("reports results whose files the source has lost, and moves their runs", async () => {
  await rm(join(source, "results", "run_1.1.parquet"));
  expect(await migrate()).toMatchObject({ isEqual: true, missingResults: 1 });
});

it("refuses a directory in use, one that is not empty or missing, and a target that is the source", async () => {
  for (const dataDir of [source, target]) {
    const lock = lockDataDirectory(dataDir);
    await expect(migrate()).rejects.toThrow(`${dataDir} is in use by another Quern server or command`);
    lock.release();
  }
  await expect(migrate({ target: { dataDir: source } })).rejects.toThrow(
    "the target is the source; name another one in --to-store, --to-results or --to-data-dir",
  );
  await expect(migrate({ target: {} })).rejects.toThrow("the target is the source");
  await expect(migrate({ source: join(folder, "none") })).rejects.toThrow("no data directory of Quern");
  await expect(migrate({ check: true })).rejects.toThrow(`no data directory of Quern: ${target}`);
  await expect(migrate({ target: { store: "postgres://quern@db/quern" } })).rejects.toThrow("missing --to-results");
  await cp(seeded, target, { recursive: true });
  await expect(migrate()).rejects.toThrow(`not an empty store: the data directory ${target}`);
  const other = join(folder, "other");
  await migrate({ target: { dataDir: other } });
  await expect(migrate({ source: target, target: { dataDir: other } })).rejects.toThrow(
    `target of a migration from the data directory ${source}: the data directory ${other}; name an empty store`,
  );
});
