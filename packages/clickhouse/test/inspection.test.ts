import { describe, expect, it } from "vitest";
import { admit } from "../src/dialect/gate.ts";
import { describeStatement, listTables } from "../src/inspection.ts";
import type { Connection, Request } from "../src/protocol/connection.ts";
import { querySettings, statementSettings } from "../src/session.ts";
import { never, sourceAt, statementOn } from "./fixture.ts";

/** Connection whose queries have these rows, and the queries. */
function scripted(rows: readonly (readonly unknown[])[], database?: string, tables: readonly unknown[] = []) {
  const sent: Request[] = [];
  async function* arrays(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(sent.at(-1)?.sql.includes("system.tables") ? tables : rows));
  }
  const connection: Connection = {
    database,
    async run(request) {
      sent.push(request);
      return { columns: [{ name: "shown", type: "Array(String)" }], arrays: arrays(), rowCount: () => 1 };
    },
    reach: async () => {},
    command: () => Promise.reject(new Error("no command was expected")),
    close: async () => {},
  };
  return { connection, sent };
}

const settings = querySettings(30);

describe("the description of a statement", () => {
  const described = [
    ["n", "UInt64", "", ""],
    ["l", "Array(String)", "", ""],
  ];
  const columns = [
    { name: "n", kind: "number", engineType: "UInt64" },
    { name: "l", kind: "array", engineType: "Array(String)" },
  ];

  it("is that of the query with sample values, and has each parameter once", async () => {
    const { connection, sent } = scripted(described);
    const admitted = await admit("SELECT {n:UInt64}, {l:Array(String)}, {n:UInt64};");
    expect(await describeStatement(connection, admitted, null, never)).toEqual({
      columns,
      hasRowNames: false,
      parameters: [
        { name: "n", type: "UInt64" },
        { name: "l", type: "Array(String)" },
      ],
    });
    const n = "defaultValueOfTypeName('UInt64')";
    const sql = `DESCRIBE TABLE (SELECT ${n}, defaultValueOfTypeName('Array(String)'), ${n})`;
    expect(sent).toEqual([{ sql, settings, parameters: {} }]);
  });

  it("is that of the query with the values of its parameters", async () => {
    const { connection, sent } = scripted(described);
    await describeStatement(connection, await admit("SELECT {n:UInt64}"), { n: 7 }, never);
    expect(sent).toEqual([{ sql: "DESCRIBE TABLE (SELECT {n:UInt64})", settings, parameters: { n: 7 } }]);
    await expect(describeStatement(connection, await admit("SELECT {n:UInt64}"), {}, never)).rejects.toMatchObject({
      failure: { name: "ParameterError" },
    });
  });

  it("runs SHOW, and neither runs nor describes EXPLAIN ANALYZE", async () => {
    const { connection, sent } = scripted([]);
    expect((await describeStatement(connection, await admit("SHOW TABLES"), null, never)).columns).toEqual([
      { name: "shown", kind: "array", engineType: "Array(String)" },
    ]);
    expect(sent.map(({ sql }) => sql)).toEqual(["SHOW TABLES"]);
    expect((await describeStatement(connection, await admit("EXPLAIN ANALYZE SELECT 1"), null, never)).columns).toEqual(
      [{ name: "explain", kind: "string", engineType: "String" }],
    );
    expect(sent).toHaveLength(1);
  });
});

describe("the tables", () => {
  const rows = [
    ["shop", "places", "id", "UInt64", "of the place"],
    ["shop", "places", "name", "Nullable(String)", ""],
    ["sales", "places", "id", "Int8", ""],
    ["sales", "created meanwhile", "id", "Int8", ""],
  ];

  it("of all databases have their columns in their order", async () => {
    const { connection, sent } = scripted(rows, undefined, [
      ["shop", "places", "Places", "`id`, name", "18446744073709551615"],
      ["sales", "places", "", "", ""],
      ["sales", "without columns", "", "", ""],
    ]);
    const number = { kind: "number", nullable: false };
    expect(await listTables(connection, never)).toEqual([
      {
        catalog: "",
        schema: "shop",
        name: "places",
        comment: "Places",
        columns: [
          { name: "id", engineType: "UInt64", ...number, comment: "of the place" },
          { name: "name", kind: "string", engineType: "Nullable(String)", nullable: true },
        ],
        primaryKey: ["id", "name"],
        rowEstimate: 2 ** 64,
      },
      { catalog: "", schema: "sales", name: "places", columns: [{ name: "id", engineType: "Int8", ...number }] },
    ]);
    const condition = "WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')";
    expect(sent.map(({ sql }) => sql.replace(/^.* FROM /, ""))).toEqual([
      `system.tables ${condition}`,
      `system.columns ${condition} ORDER BY database, table, position`,
    ]);
  });

  it.each(["toDate(at), id", "tuple()", "id, `a\\`b`", "f(a, b)", ""])(
    "have no primary key if it is %j",
    async (key) => {
      const { connection } = scripted(rows, undefined, [["shop", "places", "", key, ""]]);
      expect((await listTables(connection, never))[0]).not.toHaveProperty("primaryKey");
    },
  );

  it("of one database are selected by its name", async () => {
    const { connection, sent } = scripted([], "it's");
    expect(await listTables(connection, never)).toEqual([]);
    for (const request of sent)
      expect(request).toMatchObject({
        sql: expect.stringContaining(" WHERE database = {database:String}"),
        parameters: { database: "it's" },
      });
  });
});

it("sends the settings by which ClickHouse writes values as the Parquet writer reads them, and only reads", () => {
  expect(querySettings(1.5)).toEqual({
    readonly: "1",
    default_format: "JSONCompactEachRowWithNamesAndTypes",
    wait_end_of_query: 1,
    http_write_exception_in_output_format: 0,
    cancel_http_readonly_queries_on_client_close: 1,
    session_timezone: "UTC",
    date_time_output_format: "iso",
    print_pretty_type_names: 0,
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_decimals: 1,
    output_format_json_quote_denormals: 1,
    output_format_json_named_tuples_as_objects: 0,
    output_format_json_validate_utf8: 0,
    max_execution_time: 2,
  });
});

it("sends the largest number of rows if there is one, and who runs the statement", () => {
  const limits = { maxResultBytes: 1e9, maxResultRows: Number.POSITIVE_INFINITY, timeoutSeconds: 600 };
  const statement = statementOn(sourceAt("clickhouse://reader@localhost"), "SELECT 1", { limits });
  const owner = { queryRunId: "run_1", tenantId: "tenant", userId: "user@example.org", tags: {} };
  expect(statementSettings(statement)).toEqual({ ...querySettings(600), log_comment: JSON.stringify(owner) });
  expect(statementSettings({ ...statement, limits: { ...limits, maxResultRows: 7 } })).toMatchObject({
    max_result_rows: "7",
    result_overflow_mode: "throw",
  });
});
