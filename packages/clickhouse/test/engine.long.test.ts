import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EncodedResult, Source, Statement } from "@quern/adapter";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { createSourceKind } from "@quern/clickhouse";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultRows } from "../../duckdb/test/reader/result-rows.ts";
import { isRefusedFunction, isTableFunction } from "../src/dialect/functions.ts";
import { admit } from "../src/dialect/gate.ts";
import { connect } from "../src/protocol/connection.ts";
import { rowsOf } from "../src/protocol/query.ts";
import { resultFormat } from "../src/session.ts";
import { hostile, reading } from "./dialect/statements.ts";
import { type Engine, hasEngine, startEngine } from "./engine/engine.ts";
import { never, sourceAt, statementOn, withoutSecrets } from "./fixture.ts";
import { samples, tables, types } from "./samples.ts";

if (!hasEngine())
  it.skip("ClickHouse's engine does not run here: the machine lacks Python 3.9 with venv"); // as its name says
else
  describe("ClickHouse's engine, behind an HTTP shim", () => {
    let engine: Engine;
    let directory: string;
    let close: () => Promise<unknown>;
    let context: SourceKindContext;
    let source: Source;
    const kind = createSourceKind(withoutSecrets);
    beforeAll(async () => {
      engine = await startEngine();
      directory = await mkdtemp(join(tmpdir(), "clickhouse-results-"));
      const options = { workDirectory: directory, spillMegabytes: 100 };
      const writer = createResultWriter(options);
      const pages = { filteredPageTimeoutSeconds: 60, maxCopyBytes: 1e9, hasSpace: async () => true };
      const reader = createResultReader({ ...options, ...pages });
      close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
      source = sourceAt(`clickhouse://reader@${engine.host}/shop`);
      context = { kind, source, writer, read: (written) => resultRows(reader, written), tables, ...samples };
    });
    afterAll(async () => {
      await close?.();
      await engine?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });

    /** Runs a statement of the adapter itself, without the gate and without readonly. */
    async function unguarded(sql: string): Promise<readonly (readonly string[])[]> {
      const connection = await connect(source, "ada", withoutSecrets.secret);
      const settings = { default_format: resultFormat } as const;
      return rowsOf(connection, { sql, settings }, never).finally(() => connection.close());
    }

    /** Runs a statement, and returns its rows as the engine writes them. */
    async function run(sql: string, change: Partial<Statement> = {}): Promise<unknown[][]> {
      const execution = await kind.begin(statementOn(source, sql, change), never);
      try {
        const { parts } = (await execution.result()) as EncodedResult;
        const rows: unknown[][] = [];
        for await (const part of parts) rows.push(...JSON.parse(Buffer.concat(await Array.fromAsync(part)).toString()));
        return rows;
      } finally {
        await execution.release();
      }
    }

    it.each(sourceKindContract)("$name", async ({ run }) => {
      await run(context);
    });

    it("fails a string that is not UTF-8, and does not replace its bytes", async () => {
      const execution = await kind.begin(statementOn(source, "SELECT unhex('ff00') AS x"), never);
      const result = await execution.result();
      if (result.form !== "encoded") throw new Error("expected encoded rows");
      const written = context.writer.write(result, { maxResultBytes: 1e9, maxResultRows: 1e9 }, never);
      await expect(written).rejects.toMatchObject({ failure: { name: "InvalidValue" } });
      await execution.release();
    });

    it("stores a value of each type that the engine has", async () => {
      const found = await unguarded("SELECT name FROM system.data_type_families WHERE alias_to = ''");
      expect(found.map(([name = ""]) => name).filter((name) => types[name] === undefined)).toEqual([]);
      const names = Object.keys(types);
      const sql = `SELECT ${names.map((name) => `${types[name]?.[0]} AS "${name}"`).join(", ")}`;
      const execution = await kind.begin(statementOn(source, sql), never);
      const result = await execution.result();
      if (result.form !== "encoded") throw new Error("expected encoded rows");
      const written = await context.writer.write(result, { maxResultBytes: 1e9, maxResultRows: 1e9 }, never);
      const [row] = await context.read(written);
      const stored = names.map((name, at) => [name, [types[name]?.[0], written.columns[at]?.engineType, row?.[at]]]);
      await written.release();
      await execution.release();
      expect(Object.fromEntries(stored)).toEqual(types);
    });

    it("binds parameters of each form", async () => {
      const sql = "SELECT {s:String}, {n:Nullable(Int8)}, {a:Array(String)}, {d:DateTime64(6)}, {m:Map(String, UInt8)}";
      const parameters = {
        s: "a\tb\\'\n{x:String}",
        n: null,
        a: ["x'", "\\"],
        d: "2026-01-02 03:04:05.678901",
        m: { k: 1 },
      };
      const [row] = await run(sql, { parameters });
      expect(row).toEqual(["a\tb\\'\n{x:String}", null, ["x'", "\\"], "2026-01-02T03:04:05.678901Z", { k: 1 }]);
      await expect(run("SELECT {n:UInt8}", { parameters: { n: "x" } })).rejects.toMatchObject({
        failure: { name: "BadQueryParameter", data: { category: "USER" } },
      });
    });

    it("refuses dates that a type cannot hold, and takes the sign of -0.0 and all digits of a decimal", async () => {
      for (const type of ["Date", "Date32", "DateTime", "DateTime64(6)"])
        for (const d of ["+012026-01-02", "-000043-03-15", "+012026-01-02T03:04:05.000Z"])
          await expect(run(`SELECT {d:${type}}`, { parameters: { d } }), `${type} ${d}`).rejects.toMatchObject({
            failure: { name: expect.stringMatching(/^(?:CannotParseDate(?:time)?|BadQueryParameter)$/) },
          });
      // ClickHouse itself takes the nearest date.
      for (const [type, d] of [
        ["Date", "1800-01-02"],
        ["Nullable(Date)", "2149-06-07"],
        ["DateTime", "1969-12-31 23:59:59"],
        ["DateTime('UTC')", "2106-02-08"],
      ])
        await expect(run(`SELECT {d:${type}}`, { parameters: { d } }), `${type} ${d}`).rejects.toMatchObject({
          failure: { name: "ParameterError", data: { category: "USER" } },
        });
      const parameters = {
        a: "1970-01-01",
        b: "2106-02-07 00:00:00",
        z: { exactNumber: "-0.0" },
        n: 1234567890123.456,
      };
      const sql = "SELECT {a:Date}, {b:DateTime('UTC')}, 1 / {z:Float64}, toString({n:Decimal(38,20)})";
      const row = ["1970-01-01", "2106-02-07T00:00:00Z", "-inf", "1234567890123.456"];
      expect(await run(sql, { parameters })).toEqual([row]);
    });

    it.each([
      ["SELECT nothing FROM nowhere", { name: "UnknownTable", data: { category: "USER" } }],
      ["SELECT 1,\n 2 +* 3\n FROM system.one", { name: "SyntaxError", data: { line: 2, column: 7 } }],
      ["SELECT noSuchFunction()", { name: "UnknownFunction", data: { category: "USER" } }],
      ["SELECT throwIf(1, 'no')", { name: "FunctionThrowIfValueIsNonZero", data: { category: "USER" } }],
    ])("reports the error of %j with its name and place", async (sql, failure) => {
      await expect(run(sql)).rejects.toMatchObject({ failure });
    });

    it("runs each statement of the corpus that the gate admits, and describes it", async () => {
      for (const sql of reading) {
        const parameters = sql.includes("{n:UInt64}") ? { n: 1 } : null;
        await run(sql, { parameters });
        await kind.describe(statementOn(source, sql, { parameters }), never);
      }
    });

    it("describes columns and parameters without values, and does not execute EXPLAIN ANALYZE", async () => {
      const described = (sql: string) => kind.describe(statementOn(source, sql), never);
      expect(await described("SELECT {n:UInt64} AS n, {l:Array(String)} AS l")).toEqual({
        columns: [
          { name: "n", kind: "number", engineType: "UInt64" },
          { name: "l", kind: "array", engineType: "Array(String)" },
        ],
        parameters: [
          { name: "n", type: "UInt64" },
          { name: "l", type: "Array(String)" },
        ],
        hasRowNames: false,
      });
      const rowNames = [
        "SELECT * FROM generateRandom((SELECT concat('secret', ' Int8')))",
        `SELECT JSONExtract('{"a":1}', 'a', (SELECT 'Enum8(\\'secret\\' = 1)')) AS a`,
      ];
      for (const sql of rowNames) {
        const { columns, hasRowNames } = await described(sql);
        expect({ hasRowNames, columns: JSON.stringify(columns) }, sql).toEqual({
          hasRowNames: true,
          columns: expect.stringContaining("secret"),
        });
      }
      const names = async (sql: string) => (await described(sql)).columns.map(({ name }) => name);
      expect(await names("SHOW TABLES FROM shop")).toEqual(["name"]);
      expect(await names("EXPLAIN ESTIMATE SELECT * FROM shop.places")).toEqual([
        "database",
        "table",
        "parts",
        "rows",
        "marks",
      ]);
      expect(await names("EXPLAIN ANALYZE SELECT throwIf(1)")).toEqual(["explain"]);
    });

    it("returns the plan of a statement, and executes the statement with ANALYZE only", async () => {
      const plan = async (head: string, sql: string, change: Partial<Statement> = {}) =>
        (await run(`${head} ${sql}`, change)).flat().join("\n");
      const sql = "SELECT count() FROM shop.visits WHERE place = {n:Int64}";
      const parameters = { n: 7 };
      expect(await plan("EXPLAIN indexes = 1", sql, { parameters })).toMatch(/ReadFromMergeTree[\s\S]*PrimaryKey/);
      expect(await plan("EXPLAIN PIPELINE", sql, { parameters })).toContain("MergeTree");
      expect(await plan("EXPLAIN SYNTAX", "SELECT 1 AS a")).toContain("SELECT");
      expect(await plan("EXPLAIN json = 1, description = 0", "SELECT 1")).toContain('"Plan"');
      const failing = "SELECT throwIf(number = 3) FROM numbers(5)";
      expect(await plan("EXPLAIN", failing)).toContain("ReadFromSystemNumbers");
      await expect(plan("EXPLAIN ANALYZE", failing)).rejects.toMatchObject({ failure: { data: { category: "USER" } } });
    });

    it("refuses each hostile statement before the engine has it", async () => {
      for (const sql of hostile)
        await expect(run(sql)).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
    });

    it("writes nothing even if the gate admitted it", async () => {
      const connection = await connect(source, "ada", withoutSecrets.secret);
      const settings = { default_format: resultFormat, readonly: "1" } as const;
      const writes = [
        "INSERT INTO places (id) VALUES (1)",
        "CREATE TABLE t (a UInt8) ENGINE = Memory",
        "DROP TABLE places",
      ];
      for (const sql of [...writes, "SELECT 1 SETTINGS max_threads = 1"])
        await expect(connection.run({ sql, settings }, never)).rejects.toMatchObject({
          failure: { name: expect.stringMatching(/StatementNotAllowed|DataSourceRefused/) },
        });
      await connection.close();
    });

    it("has each table function of the engine in one of two lists", async () => {
      const names = (await unguarded("SELECT lower(name) FROM system.table_functions")).map(([name = ""]) => name);
      expect(names.length).toBeGreaterThan(50);
      const unsorted = names.filter((name) => isRefusedFunction(name) === isTableFunction(name));
      // The gate refuses them in the place of a table only. `format` is a function of expressions, too.
      expect(unsorted.toSorted()).toEqual(["dictionary", "format", "zeros", "zeros_mt"].toSorted());
      for (const name of unsorted)
        await expect(admit(`SELECT * FROM ${name}(1)`)).rejects.toThrow(`the table function ${name},`);
    });

    it("has no other function than the reviewed ones", async () => {
      const text = await readFile(new URL("engine/reviewed-functions.txt", import.meta.url), "utf8");
      const reviewed = new Set(text.split(/\s+/));
      const names = (await unguarded("SELECT name FROM system.functions WHERE origin = 'System'")).map(
        ([name = ""]) => name,
      );
      expect(names.length).toBeGreaterThan(1_000);
      expect(names.filter((name) => !reviewed.has(name))).toEqual([]);
    });

    it("does not read tables of system by a name in a value", async () => {
      for (const form of [
        "loop('system', 'one')",
        "merge('system', '^one$')",
        "`loop`(system.one)",
        "cluster('default', 'system', 'one')",
      ])
        await expect(admit(`SELECT * FROM ${form}`)).rejects.toThrow("which may do more than read");
      expect(await unguarded("SELECT * FROM merge('system', '^one$')")).toEqual([["0"]]);
    });
  });
