import { zstdDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { parseAddress } from "../src/address.ts";
import { describeStatement, listTables } from "../src/inspection.ts";
import type { Connection } from "../src/protocol/connection.ts";
import { oneColumn } from "./coordinator.ts";
import { never, sourceAt } from "./fixture.ts";

/** Connection whose queries have these rows, a page for each list, and their statements and headers. */
function scripted(address: string, ...results: readonly (readonly unknown[])[]) {
  const sent: { readonly sql: string; readonly headers: Readonly<Record<string, string>> }[] = [];
  const left = [...results];
  const connection: Connection = {
    address: parseAddress(sourceAt(address)),
    async request({ method, body = "", headers = {} }) {
      if (method === "POST") sent.push({ sql: body, headers });
      const end = { id: "q_1", columns: oneColumn, stats: { state: "FINISHED" } };
      return { status: 200, body: Buffer.from(JSON.stringify({ ...end, data: left.shift() })) };
    },
  };
  return { connection, sent };
}

const prepared = (headers: Readonly<Record<string, string>> = {}): string =>
  decodeURIComponent(headers["x-trino-prepared-statement"]?.replace(/^quern=/, "") ?? "");

it("describes the columns and the parameters of a statement, which is prepared in a header", async () => {
  const output = [
    ["n", "c", "s", "t", "bigint", 8, false],
    ["at", "c", "s", "t", "timestamp(3)", 8, false],
  ];
  const input = [
    [0, "integer"],
    [1, "unknown"],
    [2, "varchar"],
    [3, "date"],
  ];
  const { connection, sent } = scripted("trino://reader@trino.example.org/hive/sales", output, input);
  expect(await describeStatement(connection, "SELECT $2, $10, $2 + $1, 'é;'", never)).toEqual({
    columns: [
      { name: "n", kind: "number", engineType: "bigint" },
      { name: "at", kind: "date", engineType: "timestamp(3)" },
    ],
    parameters: [
      { name: "1", type: "date" },
      { name: "2", type: "integer" },
      { name: "10", type: null },
    ],
  });
  expect(sent.map(({ sql }) => sql)).toEqual(["DESCRIBE OUTPUT quern", "DESCRIBE INPUT quern"]);
  for (const { headers } of sent) {
    expect(prepared(headers)).toBe("SELECT ?, ?, ? + ?, 'é;'");
    expect(headers).toEqual({
      "content-type": "text/plain; charset=utf-8",
      "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
      "x-trino-time-zone": "UTC",
      "x-trino-catalog": "hive",
      "x-trino-schema": "sales",
      "x-trino-prepared-statement": expect.stringMatching(/^quern=[!-~]+$/),
    });
  }
});

it("numbers the parameters of a statement that has only ?, and keeps the order of named ones", async () => {
  const address = "trino://reader@trino.example.org";
  const marks = scripted(
    address,
    [],
    [
      [0, "integer"],
      [1, "date"],
    ],
  );
  expect((await describeStatement(marks.connection, "SELECT ?, ?", never)).parameters).toEqual([
    { name: "1", type: "integer" },
    { name: "2", type: "date" },
  ]);
  const named = scripted(
    address,
    [],
    [
      [0, "integer"],
      [1, "date"],
    ],
  );
  expect((await describeStatement(named.connection, "SELECT $b, $a", never)).parameters).toEqual([
    { name: "b", type: "integer" },
    { name: "a", type: "date" },
  ]);
});

it("compresses a statement from 2,000 characters", async () => {
  const statementOf = async (length: number): Promise<string> => {
    const { connection, sent } = scripted("trino://reader@trino.example.org", [], []);
    await describeStatement(connection, "SELECT 1".padEnd(length), never);
    return prepared(sent[0]?.headers);
  };
  expect(await statementOf(1_999)).toBe("SELECT 1".padEnd(1_999));
  const [, text = ""] = /^\$zstd:(.*)$/.exec(await statementOf(2_000)) ?? [];
  expect(zstdDecompressSync(Buffer.from(text, "base64url")).toString()).toBe("SELECT 1".padEnd(2_000));
});

const list = async (address: string, rows: readonly unknown[] = [], comments: readonly unknown[] = []) => {
  const { connection, sent } = scripted(address, rows, comments);
  const tables = await listTables(connection, never);
  return { tables, conditions: sent.map(({ sql }) => /WHERE (.*?)(?: ORDER BY .*)?$/.exec(sql)?.[1]) };
};
const host = "trino://reader@trino.example.org";

it.each([
  [host, " AND table_cat <> 'system'"],
  [`${host}?catalogs=hive,it's`, " AND table_cat IN ('hive', 'it''s')"],
  [`${host}/hive?catalogs=system`, " AND table_cat IN ('hive')"],
  [`${host}/hive/it's`, " AND table_cat IN ('hive') AND table_schem = 'it''s'"],
])("lists the tables of %s", async (address, condition) => {
  const ofColumns = `table_schem <> 'information_schema'${condition}`;
  const ofComments = ofColumns.replaceAll("table_cat", "catalog_name").replaceAll("table_schem", "schema_name");
  expect((await list(address)).conditions).toEqual([ofColumns, `comment <> '' AND ${ofComments}`]);
});

it("lists each table once, with its columns in their order and its comments", async () => {
  const columns = [
    ["hive", "sales", "orders", "id", "bigint", "NO", "of the shop"],
    ["hive", "sales", "orders", "day", "date", "YES", ""],
    ["hive", "other", "orders", "id", "bigint", "", ""],
  ];
  const { tables } = await list(host, columns, [["hive", "sales", "orders", "paid ones"]]);
  const id = { name: "id", kind: "number", engineType: "bigint" };
  expect(tables).toEqual([
    {
      catalog: "hive",
      schema: "sales",
      name: "orders",
      comment: "paid ones",
      columns: [
        { ...id, nullable: false, comment: "of the shop" },
        { name: "day", kind: "date", engineType: "date", nullable: true },
      ],
    },
    { catalog: "hive", schema: "other", name: "orders", columns: [{ ...id, nullable: true }] },
  ]);
});

it("releases a query that fails", async () => {
  const methods: string[] = [];
  const connection: Connection = {
    address: parseAddress(sourceAt(host)),
    async request({ method }) {
      methods.push(method);
      const page = { id: "q_1", columns: oneColumn, nextUri: "http://trino.example.org:8080/1" };
      if (method === "GET") throw new Error("lost");
      return { status: 200, body: Buffer.from(JSON.stringify(page)) };
    },
  };
  await expect(listTables(connection, never)).rejects.toThrow("lost");
  expect(methods).toEqual(["POST", "GET", "DELETE"]);
});
