import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { compactDatabase, openDatabase } from "../../../src/store/sqlite/database.ts";
import { migrations } from "../../../src/store/sqlite/migrations.ts";
import { temporaryDirectory } from "../../fixture.ts";

it("migrates a database of any earlier version, with its content", async () => {
  const directory = await temporaryDirectory();
  for (let version = 0; version <= migrations.length; version += 1) {
    const path = join(directory, `${version}.db`);
    const earlier = new DatabaseSync(path);
    for (const migration of migrations.slice(0, version)) earlier.exec(migration);
    const record = JSON.stringify({ tenantId: "t", userId: "u", reuseKey: "k", state: "s", attempt: 0, createdAt: 1 });
    const request = JSON.stringify({ queryRunId: "run_a", sqlStatementId: "st", userId: "v", createdAt: 2 });
    if (version > 0) {
      earlier.prepare("INSERT INTO runs (id, record) VALUES ('run_a', ?)").run(record);
      earlier.prepare("INSERT INTO requests (id, record) VALUES ('req_a', ?)").run(request);
    }
    if (version >= 5) earlier.exec("INSERT INTO asked VALUES ('t', 'v', 1, 'run_a')");
    // The first version did not count.
    if (version > 1) earlier.exec(`PRAGMA user_version = ${version}`);
    earlier.close();
    for (const _ of ["migrates", "opens"]) {
      const database = openDatabase(path);
      expect(database.prepare("SELECT id, shareable FROM runs").all()).toEqual(
        version > 0 ? [{ id: "run_a", shareable: 0 }] : [],
      );
      expect(database.prepare("SELECT * FROM asked").all()).toEqual(
        version > 0 ? [{ tenant_id: "t", user_id: "v", run_created_at: 1, run_id: "run_a" }] : [],
      );
      expect(database.prepare("SELECT * FROM withdrawn_keys").all()).toEqual([]);
      database.close();
    }
  }
  await rm(directory, { recursive: true });
});

it("waits for the disk at each commit while it opens, and leaves flushes and locks to the caller then", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "settings.db");
  const settingsOf = (database: DatabaseSync) =>
    ["journal_mode", "synchronous", "foreign_keys", "busy_timeout"].map((name) =>
      Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {}).at(0),
    );
  const opening: unknown[] = [];
  const database = openDatabase(path, 70, (opened) => opening.push(settingsOf(opened)));
  const other = openDatabase(path);
  expect([opening, settingsOf(database), settingsOf(other)]).toEqual([
    [["wal", 2, 1, 5_000]],
    ["wal", 1, 1, 70],
    ["wal", 1, 1, 5_000],
  ]);
  for (const each of [database, other]) each.close();
  await rm(directory, { recursive: true });
});

it("closes a database that cannot be prepared", () => {
  let opened: DatabaseSync | undefined;
  const prepare = (database: DatabaseSync) => {
    opened = database;
    throw new Error("no leases");
  };
  expect(() => openDatabase(":memory:", 0, prepare)).toThrow("no leases");
  expect(opened?.isOpen).toBe(false);
});

it("leaves a database of a later version alone", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "later.db");
  const later = new DatabaseSync(path);
  later.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  later.close();
  expect(() => openDatabase(path)).toThrow("was written by a newer version");
  await rm(directory, { recursive: true });
});

it("stops compacting after its time, also if each try waits for the lock of another process", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "locked.db");
  const database = openDatabase(path, 500);
  const other = openDatabase(path);
  other.exec("BEGIN IMMEDIATE");
  await expect(compactDatabase(database, 100)).rejects.toThrow("Another process uses the store");
  other.exec("ROLLBACK");
  await compactDatabase(database, 100);
  for (const open of [database, other]) open.close();
  await rm(directory, { recursive: true });
});
