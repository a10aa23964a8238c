import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { compactDatabase, openDatabase } from "../../src/sqlite/database.ts";
import { temporaryDirectory } from "../fixture.ts";

it("creates the schema of an empty file once, however often and from wherever it is opened", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "new.db");
  const databases = [openDatabase(path), openDatabase(path)];
  databases[0]?.exec("INSERT INTO settings (name, value) VALUES ('a', '1')");
  for (const database of [...databases, openDatabase(path)]) {
    expect(database.prepare("SELECT * FROM settings").all()).toEqual([{ name: "a", value: "1" }]);
    database.close();
  }
  await rm(directory, { recursive: true });
});

it.each([
  ["with another schema of Quern", "PRAGMA user_version = 11; CREATE TABLE runs (id TEXT)"],
  ["of another program", "CREATE TABLE orders (id INTEGER)"],
])("refuses a database %s, and leaves it as it is", async (_, sql) => {
  const directory = await temporaryDirectory();
  const path = join(directory, "other.db");
  const other = new DatabaseSync(path);
  other.exec(`PRAGMA journal_mode = WAL; ${sql}`);
  other.close();
  const before = await readFile(path);
  expect(() => openDatabase(path)).toThrow(
    `The store ${path} has the schema of another version of Quern; start that version, or use another data directory.`,
  );
  expect(await readFile(path)).toEqual(before);
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
