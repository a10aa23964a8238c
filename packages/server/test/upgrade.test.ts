import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createLinkSigner } from "../src/downloads/link.ts";
import { migrations } from "../src/store/sqlite/migrations.ts";
import { createTestClient, createTestClock, startServer, temporaryDirectory } from "./fixture.ts";
import schema5 from "./fixtures/data-directory-of-schema-5.json" with { type: "json" };

const fixtures = join(import.meta.dirname, "fixtures");

const columns = {
  runs: "id, record",
  requests: "id, record, withdrawn_at, api_key_id, body_hash",
  statements: "id, tenant_id, record",
  keys: "id, hash, last_four, origin, tenant_id, user_id, created_at, revoked_at",
};

/** Recreates the store of a data directory with the schema of the first version. */
async function toFirstVersion(dataDir: string): Promise<string> {
  const path = join(dataDir, "quern.db");
  const old = new DatabaseSync(join(dataDir, "old.db"));
  old.exec(migrations[0] ?? "");
  old.exec(`ATTACH '${path}' AS now`);
  for (const [table, names] of Object.entries(columns))
    old.exec(`INSERT INTO ${table} (${names}) SELECT ${names} FROM now.${table}`);
  old.close();
  for (const ending of ["-wal", "-shm"]) await rm(`${path}${ending}`, { force: true });
  await rename(join(dataDir, "old.db"), path);
  return path;
}

it("starts on the folder of the first version, with its keys, runs and results", async () => {
  await using before = await startServer();
  const sql = "select 42 as answer";
  const run = await before.run(sql);
  await before.stop();
  const path = await toFirstVersion(before.dataDir);

  await using after = await startServer({ dataDir: before.dataDir });
  expect(await after.get(run.id)).toEqual(run);
  expect((await after.results({ queryRunId: run.id })).rows).toEqual([[42]]);
  expect((await after.run(sql, { maxAgeMinutes: 60 })).id).toBe(run.id);
  await after.stop();
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: migrations.length });
  database.close();
});

/** Data directory with keys, a loaded source, results, ended runs and an executing one, written by a server of schema 5. */
async function directoryOfSchema5(): Promise<string> {
  const dataDir = await temporaryDirectory();
  await promisify(execFile)("tar", ["xzf", join(fixtures, "data-directory-of-schema-5.tar.gz"), "-C", dataDir]);
  return dataDir;
}

it("goes on with the keys, runs, results and sources of an earlier server", async () => {
  const dataDir = await directoryOfSchema5();
  const { ended, unfinished } = schema5;
  const clock = createTestClock(Date.parse(schema5.madeAt) + 60_000);
  const key = join(dataDir, "links.key");
  const secret = await readFile(key);
  await using server = await startServer({ dataDir, clock, sources: undefined });
  for (const run of Object.values(ended).filter(({ userId }) => userId !== "ann"))
    expect(await server.get(run.id)).toMatchObject(run);
  const typed = await server.results({ queryRunId: ended.typed.id });
  expect(typed.rows).toEqual([["9007199254740993", 1.5, "2024-02-29T12:34:56.789012Z", [1, 2], { a: 1 }, "é", null]]);
  const last = await server.results({ queryRunId: ended.pages.id, page: { number: 3, size: 10_000 } });
  expect(last.rows).toHaveLength(5_000);
  const states = await server.rows("select state from customers order by id", { dataSource: "shop" });
  expect(states).toEqual([["SP"], ["RJ"]]);
  expect((await server.run("select 7 as seven", { idempotencyKey: "morning-1" })).id).toBe(ended.idem.id);
  await expect(server.get(ended.ann.id)).rejects.toMatchObject({ code: -32099 });
  const ofAnn = createTestClient(server.url, schema5.annKey);
  expect(await ofAnn.get(ended.ann.id)).toMatchObject(ended.ann);
  const reader = { tenantId: "tenant_first", userId: "user_first", apiKeyId: "key_of_an_earlier_server" };
  const old = { runId: ended.typed.id, format: "csv", expiresAt: clock.now() + 60_000, reader } as const;
  const link = await fetch(`${server.url}/results/${await createLinkSigner(async () => secret).token(old)}`);
  expect([link.status, existsSync(key)]).toEqual([200, false]);
  await link.text();
  expect((await server.get(unfinished, 30)).state).toBe("QUERY_STATE_SUCCESS");
  await server.stop();
  await rm(dataDir, { recursive: true });
});

it("refuses the directory of a later version, and leaves it as it is", async () => {
  const dataDir = await directoryOfSchema5();
  const path = join(dataDir, "quern.db");
  const later = new DatabaseSync(path);
  later.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  later.close();
  await expect(startServer({ dataDir, sources: undefined })).rejects.toThrow(
    "The data directory was written by a newer version of Quern. Start that version, or a later one.",
  );
  const after = new DatabaseSync(path, { readOnly: true });
  expect(after.prepare("PRAGMA user_version").get()).toEqual({ user_version: migrations.length + 1 });
  after.close();
  await rm(dataDir, { recursive: true });
});
