import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ResultStore, UnavailableError } from "@quern/adapter";
import { createRun } from "@quern/query-run/record";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { inDuckDB } from "../../../duckdb/test/sources/data.ts";
import { resultIdentity } from "../../src/adapters/result-identity.ts";
import { migrateStore } from "../../src/administration/migrate-store.ts";
import { lockDataDirectory } from "../../src/common/data-directory.ts";
import { createResultStore } from "../../src/results/result-store.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { temporaryDirectory } from "../fixture.ts";

const opened = vi.hoisted(() => ({ create: async (_: object): Promise<unknown> => undefined }));
vi.mock("../../src/adapters/adapter-package.ts", () => ({
  loadAdapter: async (name: string) => ({
    createResultStore: (options: object) => opened.create({ name, ...options }),
  }),
}));

let folder: string;
let source: string;
let calls: { readonly name: string; readonly url: string; readonly serviceId?: string }[];
beforeEach(async () => {
  folder = await temporaryDirectory();
  source = join(folder, "source");
  calls = [];
  opened.create = (options) => {
    calls.push(options as (typeof calls)[number]);
    return openBucket();
  };
  await seed();
});
afterEach(() => rm(folder, { recursive: true }));

const openBucket = (): Promise<ResultStore> => createResultStore(join(folder, "bucket"));
const bucket = "s3://bucket/prefix";

/** Creates a data directory with a run that has a result. */
async function seed(): Promise<void> {
  await mkdir(source);
  const store = openSqliteStore(join(source, "quern.db"));
  const results = await createResultStore(join(source, "results"));
  const ids = { id: "run_0", tenantId: "tenant", userId: "ann", sqlStatementId: "st_1", dataSourceId: "source" };
  const settings = { parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1, reuseKey: "a" };
  const queued = createRun({ ...ids, ...settings }, 0);
  const path = join(folder, "run_0.parquet");
  await inDuckDB(":memory:", `COPY (SELECT 1 AS c0) TO '${path}' (FORMAT parquet)`);
  const columns = [{ name: "n", kind: "number", engineType: "BIGINT" }] as const;
  const written = { path, columns, rowCount: 1, release: async () => {} };
  const result = await results.commit({ ...queued, attempt: 1 }, written);
  const ended = { ...queued, state: "QUERY_STATE_SUCCESS", attempt: 1, endedAt: 1, expiresAt: 9e15, result } as const;
  await store.records.runs.write([{ run: ended, maxRunningRuns: null, isShareable: false }]);
  await resultIdentity(store.settings);
  await store.close();
}

/** Returns the settings of the store about its results. */
async function settingsOf() {
  const store = openSqliteStore(join(source, "quern.db"));
  const texts = await Promise.all(
    ["resultStoreId", "resultStoreAddress", "nextResultStoreId"].map((name) => store.settings.get(name)),
  );
  await store.close();
  const [id, address, next] = texts.map((text) => JSON.parse(text ?? "null"));
  return { id, address, next };
}

const migrate = (change: Partial<Parameters<typeof migrateStore>[0]> = {}) =>
  migrateStore({ source: { dataDir: source }, target: { results: bucket }, ...change });

const equal = {
  isEqual: true,
  kinds: [{ kind: "results", source: 1, target: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/), isEqual: true }],
  differences: [],
  missingResults: 0,
};

it("moves only the results to a bucket with a new identity, which the store then has", async () => {
  const before = await settingsOf();
  expect(await migrate()).toEqual(equal);
  expect(await readdir(join(folder, "bucket"))).toEqual(["run_0.1.parquet"]);
  const { id, address, next } = await settingsOf();
  expect([address, next]).toEqual([bucket, null]);
  expect(id).not.toBe(before.id);
  const name = "the flag --to-results";
  expect(calls).toMatchObject([
    { name, url: bucket, serviceId: id, previousUrl: undefined, claims: true },
    { name, url: bucket },
  ]);
  expect(calls[1]).not.toHaveProperty("serviceId");
  lockDataDirectory(source).release();
  // The same call again compares the results, and keeps the identity.
  expect(await migrate()).toEqual(equal);
  expect(await settingsOf()).toEqual({ id, address, next });
  expect(calls[2]).toMatchObject({ serviceId: id, previousUrl: bucket, claims: true });
});

it("neither claims the bucket nor changes the store when it only compares", async () => {
  const before = await settingsOf();
  expect(await migrate({ check: true })).toMatchObject({
    isEqual: false,
    kinds: [{ kind: "results", source: 1, target: 0, isEqual: false }],
    differences: [{ kind: "results", id: "run_0", fault: "missing" }],
  });
  expect(calls.map((call) => "serviceId" in call)).toEqual([false, false]);
  expect(await settingsOf()).toEqual(before);
  expect(await readdir(join(folder, "bucket"))).toEqual([]);
});

it("moves results back from the bucket of the service to its directory", async () => {
  await migrate();
  const { id } = await settingsOf();
  calls = [];
  await rm(join(source, "results"), { recursive: true });
  await expect(migrate({ target: { dataDir: source } })).rejects.toThrow("the target is the source");
  const from = { dataDir: source, results: bucket };
  expect(await migrate({ source: from, target: { dataDir: source } })).toEqual(equal);
  expect(calls).toMatchObject([
    { name: "the setting results", url: bucket, serviceId: id, previousUrl: bucket, claims: false },
  ]);
  expect(await readdir(join(source, "results"))).toEqual(["run_0.1.parquet"]);
  expect((await settingsOf()).address).toBeNull();
});

it("refuses to move the results of a bucket that the source does not name", async () => {
  await migrate();
  const message = `missing setting results: the source has its results in ${bucket}; set it, such as with --config`;
  for (const target of [{ results: "s3://other" }, { dataDir: join(folder, "target") }])
    await expect(migrate({ target })).rejects.toMatchObject({ name: "AdministrationError", message });
});

it("keeps the identity for an interrupted move, and says how to continue", async () => {
  const before = await settingsOf();
  const create = opened.create;
  opened.create = async (options) => {
    await create(options);
    const commit = () => Promise.reject(new UnavailableError("the bucket is away"));
    return { ...(await openBucket()), commit };
  };
  await expect(migrate()).rejects.toMatchObject({
    name: "AdministrationError",
    message: "the bucket is away; run the command again to continue",
    cause: { name: "UnavailableError" },
  });
  const { id, address, next } = await settingsOf();
  expect([id, address]).toEqual([before.id, null]);
  lockDataDirectory(source).release();
  opened.create = create;
  expect(await migrate()).toEqual(equal);
  expect(await settingsOf()).toEqual({ id: next, address: bucket, next: null });
  expect(calls.map(({ serviceId }) => serviceId)).toEqual([next, undefined, next, undefined]);
});

it("does not let the store use a bucket whose results differ", async () => {
  const onProgress = (): void => {
    throw new TypeError("interrupted");
  };
  await expect(migrate({ onProgress })).rejects.toThrow(TypeError);
  opened.create = async () => ({ ...(await openBucket()), open: async () => undefined, commit: async () => {} });
  expect(await migrate()).toMatchObject({ isEqual: false, missingResults: 0 });
  expect((await settingsOf()).address).toBeNull();
});
