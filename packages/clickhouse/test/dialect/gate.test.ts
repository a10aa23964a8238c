import { StatementError } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { admit } from "../../src/dialect/gate.ts";
import { boundParameters } from "../../src/dialect/parameters.ts";
import { hostile, reading } from "./statements.ts";

describe("the gate", () => {
  it("is tested with more than 90 hostile statements", () => {
    expect(new Set(hostile).size).toBeGreaterThan(90);
  });

  it.each(hostile)("refuses %j", async (sql) => {
    const thrown = await admit(sql).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(StatementError);
    expect(thrown).toMatchObject({ failure: { name: "StatementNotAllowed", data: { category: "USER" } } });
  });

  it.each(["EXPLAIN ", "EXPLAIN ANALYZE ", "explain /* a */ plan header = 1, actions = 1 -- b\n ", "EXPLAIN AST "])(
    "refuses each hostile statement after %j",
    async (head) => {
      for (const sql of hostile)
        await expect(admit(head + sql), head + sql).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
    },
  );

  it.each(reading)("admits %j", async (sql) => {
    expect(sql.startsWith((await admit(sql)).sql)).toBe(true);
  });

  it.each([
    ["", "the text has no statement; send one statement that reads."],
    [" -- nothing\n;;", "the text has no statement; send one statement that reads."],
    ["INSERT INTO t VALUES (1)", "it writes INTO a table or file"],
    ["DROP TABLE t", "it is not SELECT, WITH, FROM, SHOW, DESCRIBE or EXPLAIN"],
    ["SELECT 1; SELECT 2", "the text has several statements"],
    ["SELECT 1 PARALLEL WITH SELECT 2", "the text has several statements"],
    ["SELECT 1 FORMAT CSV", "it has a FORMAT; remove it, because Quern sets the format"],
    ["SELECT 1 SETTINGS max_threads = 1", "it changes SETTINGS; remove them"],
    ["SELECT 'a", "a quote or comment has no end"],
    ["SELECT 1 /* a", "a quote or comment has no end"],
    ["SELECT $a", "it has a $ outside quotes; quote the name"],
    ["SELECT a$b$ c $b$", "it has a $ outside quotes; quote the name"],
    ["SELECT ü", 'it has "ü" outside quotes; quote the name'],
    ['SELECT "a\\x"', "a quoted name has a backslash"],
    ["SELECT * FROM url('http://a')", "it calls the function url, which may do more than read"],
    ["SELECT * FROM icebergS3Cluster('a')", "it calls the function icebergs3cluster, which may do more than read"],
    ["SELECT * FROM t, unknownOne(1)", "it calls the table function unknownone, which may do more than read"],
    ["SELECT * FROM system.users", "it reads system.users, which can have data of other users"],
    ['SELECT * FROM "system".query_log', "it reads system.query_log, which can have data of other users"],
    ["SELECT * FROM system.", "it reads system., which can have data of other users"],
    ["SELECT {a:Identifier}", "the value of a parameter is a name; write the name itself"],
    ["SHOW GRANTS", "it shows more than tables, columns and functions"],
    ["SHOW CREATE USER a", "it shows more than tables, columns and functions"],
    ["EXPLAIN", "it explains another statement than SELECT, WITH or FROM"],
    ["EXPLAIN PLAN header = 1 DROP TABLE t", "it explains another statement than SELECT, WITH or FROM"],
  ])("refuses %j because %s", async (sql, reason) => {
    await expect(admit(sql)).rejects.toThrow(`Statement not allowed: ${reason}`);
  });

  it.each([
    ["SELECT 1", "query"],
    ["with 1 AS a SELECT a", "query"],
    ["FROM t SELECT 1", "query"],
    ["(SELECT 1)", "query"],
    ["DESCRIBE TABLE t", "inspection"],
    ["DESC t", "inspection"],
    ["SHOW FULL TABLES FROM shop", "inspection"],
    ["SHOW EXTENDED COLUMNS FROM t", "inspection"],
    ["SHOW CREATE TABLE t", "inspection"],
    ["SHOW CREATE TEMPORARY VIEW t", "inspection"],
    ["SHOW INDEXES FROM t", "inspection"],
    ["EXPLAIN SELECT 1", "inspection"],
    ["EXPLAIN PIPELINE graph = 1, compact = 0 SELECT 1", "inspection"],
    ["EXPLAIN QUERY TREE WITH 1 AS a SELECT a", "inspection"],
    ["EXPLAIN ANALYZE SELECT 1", "explainAnalyze"],
    ["EXPLAIN SELECT 1 AS analyze", "inspection"],
    ["SELECT 1 AS format ORDER BY format DESC", "query"],
    ["SELECT settings FROM t", "query"],
    ["SELECT settings AS a FROM settings FINAL WHERE settings LIKE 'a' OR settings IN (1)", "query"],
    ["SELECT a FROM settings s JOIN settings ON s.a = settings.a ORDER BY settings ASC", "query"],
    ["SELECT $a$ it's $a$", "query"],
    ["SELECT 1 / 2 * 3", "query"],
    ["SELECT /* a /* b */ c */ 1 # d\n// e", "query"],
    ["SELECT number FROM system.numbers", "query"],
  ])("admits %j as %s", async (sql, form) => {
    expect(await admit(sql)).toMatchObject({ form });
  });

  it.each([
    ["SELECT JSONExtract('{}', (SELECT a FROM t))", true],
    ["SELECT JSONExtract('{}', ((WITH 1 AS b SELECT b)))", true],
    ["WITH (SELECT a FROM t) AS x SELECT JSONExtract('{}', x)", true],
    ["SELECT * FROM generateRandom((SELECT a FROM t))", true],
    ["SELECT * FROM generateRandom(dictGet('d', 'a', 1))", true],
    ["SELECT * FROM t, (SELECT 1) AS b WHERE c IN ((SELECT 1)) AND EXISTS (SELECT 1)", false],
    ["WITH a AS (SELECT 1) (SELECT 1) UNION ALL ((SELECT 2))", false],
    ["SELECT * FROM view(SELECT 1)", false],
  ])("knows whether values of rows can name the columns of %j: %s", async (sql, hasRowNames) => {
    expect(await admit(sql)).toMatchObject({ hasRowNames });
  });

  it.each([
    "SELECT 1 AS format ORDER BY format ASC",
    "(SELECT 1 AS format)",
    "SELECT 1 AS parallel",
    "SELECT 1\f+\v1 #! a",
    "SELECT xiceberg(1), icebergs(1), mergeTree(1), s3s(1), mergeTreePartInfo('a')",
  ])("admits the query %j", async (sql) => {
    expect((await admit(sql)).form).toBe("query");
  });

  it.each(["AST", "SYNTAX", "QUERY TREE", "PLAN", "PIPELINE", "ESTIMATE", "PLAN header = 1, actions = 0"])(
    "admits EXPLAIN %s of a query",
    async (words) => {
      expect((await admit(`EXPLAIN ${words} FROM t`)).form).toBe("inspection");
    },
  );

  it.each([
    "TABLES",
    "DATABASES",
    "COLUMNS",
    "DICTIONARIES",
    "FUNCTIONS",
    "INDEX",
    "INDEXES",
    "INDICES",
    "KEYS",
    "CREATE TABLE",
    "CREATE VIEW",
    "CREATE DATABASE",
    "CREATE DICTIONARY",
    "FULL TABLES",
    "TEMPORARY TABLES",
  ])("admits SHOW %s", async (words) => {
    expect((await admit(`SHOW ${words} a`)).form).toBe("inspection");
  });

  it.each([
    "/*",
    "'",
    '"',
    "`",
    "$a$ ",
    "{",
    "{a:",
    "{a:}",
    "{a:Int8} ",
    "(",
    "from (",
    "from a, ",
    "system.",
    "\\",
    "\\'",
    "a ",
    "a(",
    "extract(",
    "--",
    "-- \n",
    "ü",
    "?",
    "settings ",
    "''",
    "'a',",
    "/**/",
    "/* */ */",
    ";",
    "$$",
    "select ",
    ") ",
  ])("takes or refuses a statement of the largest length with %j", async (part) => {
    const sql = `select 1 ${part.repeat(262_144)}`.slice(0, 262_144);
    try {
      const { parameters } = await admit(sql);
      const values = { ["x".repeat(1e6)]: 1, ...Object.fromEntries(parameters.map(({ name }) => [name, 1])) };
      expect(() => boundParameters(parameters, values)).toThrow(/^Invalid parameters: /);
    } catch (error) {
      expect(error).toMatchObject({ failure: { name: "StatementNotAllowed" } });
    }
  });

  it("lets other work of the process proceed while it reads a long statement", async () => {
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    await admit(`select ${"(".repeat(262_000)}`);
    isReading = false;
    expect(turns).toBeGreaterThan(200);
  });

  it("finds no parameter without a type or an end", async () => {
    for (const sql of ["SELECT {a:", "SELECT {a:}", "SELECT {a:Int8", "SELECT {1:Int8}", "SELECT {"])
      expect((await admit(sql)).parameters).toEqual([]);
  });

  it("finds each parameter with its type and place", async () => {
    expect((await admit("SELECT {a:UInt8}, { b : Array( String ) } -- {c:Int8}")).parameters).toEqual([
      { name: "a", type: "UInt8", start: 7, end: 16 },
      { name: "b", type: "Array( String )", start: 18, end: 41 },
    ]);
    expect((await admit("SELECT {'a': 1}, map[1:2], '{a:UInt8}'")).parameters).toEqual([]);
  });

  it("removes the semicolons, comments and white space after a statement", async () => {
    expect((await admit("SELECT ';' ; -- done;\n;  ")).sql).toBe("SELECT ';'");
  });
});
