import { inSlices, StatementError } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { allSlices } from "../../../adapter/test/all-slices.ts";
import { admit as slicedAdmit } from "../../src/dialect/gate.ts";
import { foreign, hostile, ofSystem, reading } from "./statements.ts";

const catalogs = new Set(["memory", "tpch"]);
const admit = (sql: string, allowed?: ReadonlySet<string>) => allSlices(slicedAdmit(sql, allowed));

describe("the gate", () => {
  it("is tested with more than 50 hostile statements", () => {
    expect(new Set(hostile).size).toBeGreaterThan(50);
  });

  it.each([...hostile, ...foreign, ...ofSystem])("refuses %j", (sql) => {
    const thrown = (() => {
      try {
        return admit(sql, catalogs);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(StatementError);
    expect(thrown).toMatchObject({ failure: { name: "StatementNotAllowed", data: { category: "USER" } } });
  });

  it.each(["EXPLAIN ", "explain /* a */ analyze -- b\n verbose ", "EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON)\n"])(
    "refuses each hostile statement after %j",
    (head) => {
      for (const sql of [...hostile, ...foreign, ...ofSystem])
        expect(() => admit(head + sql, catalogs), head + sql).toThrow(StatementError);
    },
  );

  it.each(reading)("admits %j", (sql) => {
    expect(sql.startsWith(admit(sql, catalogs))).toBe(true);
  });

  it("names the other catalog, and admits it for a source without a catalog", () => {
    expect(() => admit("SELECT 1 FROM a, OTHER.s.t", catalogs)).toThrow(
      "Statement not allowed: it names the catalog other, which is not of the data source; query a data source of that " +
        "catalog, or add the catalog to the parameter catalogs of the address.",
    );
    for (const sql of foreign.filter((each) => !ofSystem.includes(each) && !each.includes("system.")))
      expect(admit(sql)).toBe(sql);
  });

  it.each(ofSystem)("refuses %j of a source without a catalog, unless its address names system", (sql) => {
    expect(() => admit(sql)).toThrow(
      "Statement not allowed: it names the catalog system, which has the statements of all callers; to allow this, " +
        "add system to the parameter catalogs of the address.",
    );
    expect(admit(sql, new Set(["system"]))).toBe(sql);
  });

  it.each([
    ["", "the text has no statement; send one statement that reads."],
    [" -- nothing\n;;", "the text has no statement; send one statement that reads."],
    ["EXPLAIN", "it is not a query, SHOW, DESCRIBE or EXPLAIN of these"],
    ["CALL f()", "it is not a query, SHOW, DESCRIBE or EXPLAIN of these"],
    ["SELECT 1; SELECT 2", "the text has several statements"],
    ["WITH SESSION a = 1 SELECT 1", "it sets a property of the session"],
    ["SELECT * FROM TABLE(a.query('x'))", "it calls the table function query, which may do more than read"],
    ["SELECT * FROM TABLE(sequence 1)", "it calls the table function sequence, which may do more than read"],
    ["SELECT * FROM TABLE('a')", "it calls the table function , which may do more than read"],
  ])("refuses %j because %s", (sql, reason) => {
    expect(() => admit(sql, catalogs)).toThrow(`Statement not allowed: ${reason}`);
  });

  it.each([
    "SHOW TABLES FROM s",
    "SHOW FUNCTIONS FROM s",
    "SHOW CREATE SCHEMA s",
    "SHOW GRANTS ON SCHEMA s",
    "SHOW COLUMNS FROM s.t",
    "SHOW CREATE TABLE s.t",
    "SHOW GRANTS ON s.t",
    "SHOW STATS FOR s.t",
    "DESCRIBE s.t",
    "DESC s.t",
    "SHOW STATS FOR (SELECT other.r.f FROM (SELECT r FROM a) AS other)",
  ])("admits %j, which names no catalog", (sql) => {
    expect(admit(sql, catalogs)).toBe(sql);
  });

  it.each(["WHERE", "GROUP BY", "HAVING", "ORDER BY", "UNION", "INTERSECT", "EXCEPT", "VALUES"])(
    "admits a column after %s, where a comma precedes no table",
    (words) => {
      const sql = `SELECT 1 FROM a ${words} b, other.r.f`;
      expect(admit(sql, catalogs)).toBe(sql);
    },
  );

  it.each(["sequence", "exclude_columns", "table_changes"])("admits the table function %s", (name) => {
    const sql = `SELECT * FROM TABLE(system.${name}(1))`;
    expect(admit(sql)).toBe(sql);
  });

  it("removes the semicolons, comments and white space after a statement", () => {
    expect(admit("SELECT ';' ; -- done;\n;  ")).toBe("SELECT ';'");
  });

  const repeated = (first: string, unit: string) => first.padEnd(262_144, unit);
  it.each<[string, string]>([
    ["SELECT 1 ", "/*"],
    ["SELECT ", "'a"],
    ["SELECT ", '"a""'],
    ["SELECT ", "("],
    ["SELECT 1", ";"],
    ["", "EXPLAIN (TYPE IO) "],
    ["", "EXPLAIN (TYPE "],
    ["SELECT ", "TABLE(sequence("],
    ["WITH a AS (SELECT 1) ", "WITH SESSION AS ("],
    ["SELECT ", "a."],
    ["SELECT ", "?,"],
    ["SELECT ", "ü "],
    ["SELECT 1 FROM ", "a,"],
  ])("reads %j and many of %j in slices, between which other events are handled", async (first, unit) => {
    let events = 0;
    const count = (): void => {
      events++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await inSlices(slicedAdmit(repeated(first, unit), catalogs)).catch(() => {});
    clearImmediate(next);
    expect(events).toBeGreaterThan(50);
  });
});
