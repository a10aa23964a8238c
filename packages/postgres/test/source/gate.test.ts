import { expect, it } from "vitest";
import { admit } from "../../src/source/gate.ts";
import { hostileStatements } from "./hostile-statements.ts";

it("refuses each hostile statement", () => {
  expect(hostileStatements.length).toBeGreaterThanOrEqual(50);
  const admitted = hostileStatements.filter((sql) => {
    try {
      return admit(sql);
    } catch (error) {
      expect(error).toMatchObject({ failure: { name: "StatementNotAllowed", data: { category: "USER" } } });
      return false;
    }
  });
  expect(admitted).toEqual([]);
});

it.each([
  "select 1",
  "SELECT 1;",
  "(select 1) union (select 2)",
  "values (1), (2)",
  "table orders",
  "with a as (select 1) select * from a",
  "select 'lo_import(1); delete from x', $$ set_config $$, E'it\\'s', \"into\" from t",
  "select note.into from note",
  "select /* a /* nested */ comment; */ 1 -- ; delete",
  'select "update" from t where deleted = false and call > 1',
  "select extract(year from at), substring(name from 1 for 2) from t",
  "select data ->> 'a', data ? 'b', a$1 from t where x = $1 or y = $name",
])("admits a statement that reads: %s", (sql) => {
  expect(admit(sql).length).toBeGreaterThan(0);
});
