import { expect, it } from "vitest";
import { inTransaction, openDatabase } from "../../../src/store/sqlite/database.ts";

it("tells why a change failed, also where the database has taken it back by itself", () => {
  const database = openDatabase(":memory:");
  database.exec("PRAGMA max_page_count = 40; CREATE TABLE t (text TEXT)");
  const fill = (rows: number) => () => {
    for (let row = 0; row < rows; row += 1) database.prepare("INSERT INTO t VALUES (?)").run("x".repeat(4_000));
  };
  expect(() => inTransaction(database, fill(100))).toThrow("database or disk is full");
  inTransaction(database, fill(1));
  expect(database.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 1 });
  database.close();
});
