import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { createCommits } from "../../../src/store/sqlite/group-commit.ts";
import { createSqliteKeyStore } from "../../../src/store/sqlite/key-store.ts";
import { noFlush } from "../../../src/store/sqlite/log-flush.ts";
import { migrations } from "../../../src/store/sqlite/migrations.ts";
import { temporaryDirectory } from "../../fixture.ts";

it("opens a database of the first version, whose keys keep their permissions", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "old.db");
  const old = new DatabaseSync(path);
  old.exec(migrations[0] ?? "");
  old.exec("INSERT INTO keys VALUES ('key_1', x'01', 'last', 'generated', 'tenant_first', 'user_first', 5, NULL)");
  old.close();
  for (let opened = 0; opened < 2; opened += 1) {
    const database = openDatabase(path);
    const [key] = await createSqliteKeyStore(database, createCommits(database, noFlush), Date.now).all();
    expect(key).toMatchObject({
      id: "key_1",
      scopes: ["run", "read", "cancel", "tenant:admin"],
      sources: null,
      expiresAt: null,
    });
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: migrations.length });
    database.close();
  }
  await rm(directory, { recursive: true });
});

it("refuses a database of a newer version", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "new.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 1000");
  database.close();
  expect(() => openDatabase(path)).toThrow("newer version");
  await rm(directory, { recursive: true });
});
