import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { migrations } from "../src/store/sqlite/migrations.ts";
import { startServer } from "./fixture.ts";

const columns = {
  runs: "id, record",
  requests: "id, record, withdrawn_at, api_key_id, body_hash",
  statements: "id, tenant_id, record",
  keys: "id, hash, last_four, origin, tenant_id, user_id, created_at, revoked_at",
};

/** Brings the store of a data directory back to the tables that the first version made. */
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
