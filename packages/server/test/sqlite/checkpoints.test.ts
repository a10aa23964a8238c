import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { createCommits } from "../../src/sqlite/group-commit.ts";
import { createLogFlush } from "../../src/sqlite/log-flush.ts";
import { temporaryDirectory } from "../fixture.ts";

const megabyte = "x".repeat(1_000_000);
/** A checkpoint begins when the log has 4.1 MB, and a commit of this test adds 1 MB. */
const shortLog = 5_300_000;

async function opened() {
  const path = join(await temporaryDirectory(), "test.db");
  const database = openDatabase(path);
  database.exec("CREATE TABLE texts (text TEXT)");
  const flush = createLogFlush(database);
  const commits = createCommits(database, flush);
  onTestFinished(async () => {
    await flush.close();
    database.close();
  });
  /** Adds as many megabytes, one a commit, from several callers at once. Returns the largest length of the log. */
  async function add(megabytes: number): Promise<number> {
    let largest = 0;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; n < megabytes / 4; n += 1) {
          await commits.change(() => database.prepare("INSERT INTO texts VALUES (?)").run(megabyte));
          largest = Math.max(largest, statSync(`${path}-wal`).size);
        }
      }),
    );
    return largest;
  }
  return { path, database, add };
}

it("keeps the log short under a steady load, with all rows in the database file alone", async () => {
  const { path, database, add } = await opened();
  expect(await add(40)).toBeLessThan(3 * shortLog); // four callers share a commit
  expect(database.prepare("PRAGMA wal_autocheckpoint").get()).toEqual({ wal_autocheckpoint: 0 });
  expect(statSync(path).size).toBeGreaterThan(30e6);
  const other = new DatabaseSync(path, { readOnly: true });
  expect(other.prepare("SELECT count(*) AS n FROM texts").get()).toEqual({ n: 40 });
  other.close();
});

it("waits for no reader, and shortens the log after it", async () => {
  const { path, add } = await opened();
  const reader = new DatabaseSync(path, { readOnly: true });
  const rows = reader.prepare("SELECT text FROM texts");
  await add(4);
  const reading = rows.iterate();
  reading.next();
  expect(await add(20)).toBeGreaterThan(15e6);
  for (const _ of reading); // ends the snapshot
  await add(8);
  expect(statSync(`${path}-wal`).size).toBeLessThan(shortLog * 2);
  reader.close();
});
