import { createHash } from "node:crypto";
import {
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  VARCHAR,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import type { Data } from "apache-arrow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { arrowColumn } from "../../src/download/arrow-column.ts";
import { copiedVectors, hasArrowLayout, textBytes, vectorCell } from "../../src/download/arrow-vectors.ts";
import "../../src/engine/package-corrections.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Returns the length of a vector and a digest of each of its buffers, because a difference of whole buffers prints slowly. */
function digestsOf({ length, nullCount, buffers }: Data): unknown {
  const digests = Object.values(buffers).map((buffer: unknown) => {
    if (!ArrayBuffer.isView(buffer) || buffer.byteLength === 0) return "none";
    return createHash("sha256")
      .update(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength))
      .digest("hex");
  });
  return { length, nullCount, digests };
}

/** Reads a column, and returns its copy and its conversion, which has an object of JavaScript for each value. */
async function bothForms(sql: string, type: DuckDBType): Promise<readonly [copied: Data, converted: Data]> {
  expect(hasArrowLayout(type), String(type)).toBe(true);
  const result = await connection.stream(`SELECT ${vectorCell(type, "v")}, v FROM (${sql})`);
  const chunks = await result.fetchAllChunks();
  const { type: arrowType, data } = arrowColumn(type, type);
  const values = chunks.flatMap((chunk) => chunk.getColumnValues(1));
  return [copiedVectors(arrowType, type, chunks, 0), data(values)];
}

/** SQL for a value of each type; `h` is a pseudo-random number of 63 bits. */
const values: Readonly<Record<string, string>> = {
  BOOLEAN: "h % 2 = 0",
  TINYINT: "(h % 256 - 128)",
  UTINYINT: "h % 256",
  SMALLINT: "h % 65536 - 32768",
  USMALLINT: "h % 65536",
  INTEGER: "h % 4294967296 - 2147483648",
  UINTEGER: "h % 4294967296",
  BIGINT: "CASE h % 3 WHEN 0 THEN h WHEN 1 THEN -h ELSE -9223372036854775808 END",
  UBIGINT: "CASE h % 2 WHEN 0 THEN h::UBIGINT + 9223372036854775807 ELSE 18446744073709551615 END",
  FLOAT: "['-0.0'::FLOAT, 0, 'nan', 'inf', '-inf', 0.1, 1e-45, h][h % 8 + 1]",
  DOUBLE: "['-0.0'::DOUBLE, 0, 'nan', 'inf', '-inf', 0.1, 5e-324, h][h % 8 + 1]",
  "DECIMAL(4,1)": "(h % 19999 - 9999)::DECIMAL(18,1) / 10",
  "DECIMAL(9,2)": "(h % 1999999999 - 999999999)::DECIMAL(18,2) / 100",
  "DECIMAL(18,18)": "CASE h % 2 WHEN 0 THEN -0.999999999999999999 ELSE 0.000000000000000001 END",
  "DECIMAL(18,0)": "h % 1000000000000000000 * CASE h % 2 WHEN 0 THEN 1 ELSE -1 END",
  "DECIMAL(21,2)": "-(h // 10)",
  "DECIMAL(38,0)": "CASE h % 2 WHEN 0 THEN -99999999999999999999999999999999999999 ELSE h END",
  "DECIMAL(38,38)": "CASE h % 2 WHEN 0 THEN '-0.99999999999999999999999999999999999999' ELSE '0' END",
  DATE: "[DATE '2000-01-01' + (h % 100000)::INTEGER, 'infinity', '-infinity', '0044-03-15 (BC)'][h % 4 + 1]",
  TIME: "[TIME '00:00:00', '24:00:00', '23:59:59.999999'][h % 3 + 1]",
  TIMESTAMP: "[make_timestamp(h % 4000000000000000), 'infinity', '-infinity', '0044-03-15 (BC)'][h % 4 + 1]",
  "TIMESTAMP WITH TIME ZONE": "[make_timestamp(h % 4000000000000000)::TIMESTAMPTZ, 'infinity', '-infinity'][h % 3 + 1]",
  TIMESTAMP_NS: "[make_timestamp_ns(-(h // 4)), 'infinity', '-infinity'][h % 3 + 1]",
  VARCHAR: "repeat(['a', 'é', chr(65279), chr(0)][h % 4 + 1], [0, 1, 3, 4, 6, 11, 12, 13, 64, 65, 300][h % 11 + 1])",
  BLOB: "repeat('\\xFF\\x00'::BLOB, (h % 40)::INTEGER)",
};
/** Rows that are NULL: none, each third in no order, and all. */
const nulls = { none: "false", some: "hash(n, 7) % 3 = 0", all: "true" };

it.each(Object.keys(values).flatMap((type) => Object.keys(nulls).map((rows) => [type, rows] as const)))(
  "copies %s with the bytes of converted values, %s of them NULL",
  async (type, rows) => {
    const value = `CAST(${values[type]} AS ${type})`;
    const when = nulls[rows as keyof typeof nulls];
    const sql = `SELECT CASE WHEN ${when} THEN NULL ELSE ${value} END AS v
      FROM (SELECT n, (hash(n) // 2)::BIGINT AS h FROM range(5003) r(n))`;
    const engineType = (await connection.prepare(sql)).columnType(0);
    const [copied, converted] = await bothForms(sql, engineType);
    expect(copied.nullCount === 0 ? "none" : copied.nullCount === 5_003 ? "all" : "some").toBe(rows);
    expect(digestsOf(copied)).toEqual(digestsOf(converted));
  },
);

it("joins chunks whose bits do not start at a byte", async () => {
  const chunks: DuckDBDataChunk[] = [];
  const borders = [0, 3, 4, 2_500, 2_509];
  const [flag, text] = ["CASE WHEN n % 5 = 0 THEN NULL ELSE n % 3 = 0 END", "repeat('x', nullif(n % 30, 7))"];
  for (const [index, from] of borders.slice(0, -1).entries()) {
    const result = await connection.run(`SELECT ${flag}, ${text} FROM range(${from}, ${borders[index + 1]}) r(n)`);
    chunks.push(...(await result.fetchAllChunks()));
  }
  for (const [index, stored] of [BOOLEAN, VARCHAR].entries()) {
    const { type, data } = arrowColumn(stored, stored);
    const values = chunks.flatMap((chunk) => chunk.getColumnValues(index));
    const copied = copiedVectors(type, stored, chunks, index);
    expect(copied.length).toBe(2_509);
    expect(digestsOf(copied)).toEqual(digestsOf(data(values)));
  }
});

it("copies texts of a megabyte", async () => {
  const sql =
    "SELECT CASE WHEN n = 4 THEN NULL ELSE repeat(chr(97 + n::INTEGER), 1000000 + n) END AS v FROM range(9) r(n)";
  const [copied, converted] = await bothForms(sql, VARCHAR);
  expect(digestsOf(copied)).toEqual(digestsOf(converted));
});

it("copies texts that are anywhere in memory", () => {
  const chunk = DuckDBDataChunk.create([VARCHAR], 2_048);
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, 0);
  const textAt = (row: number): string => `text of the row ${row} `.repeat((row % 5) + 1);
  // The engine puts each text behind the one before: here each row is between two that are 7 rows away.
  for (let step = 0; step < 2_048; step += 1) {
    const row = (step * 7) % 2_048;
    duckdb.vector_assign_string_element(vector, row, textAt(row));
  }
  const { type, data } = arrowColumn(VARCHAR, VARCHAR);
  const copied = copiedVectors(type, VARCHAR, [chunk], 0);
  const expected = Array.from({ length: 2_048 }, (_, row) => textAt(row));
  expect(digestsOf(copied)).toEqual(digestsOf(data(expected)));
  expect(textBytes(VARCHAR, chunk, 0)).toBe(expected.join("").length);
});

it("counts the bytes of texts only, and those of no NULL", async () => {
  const sql = "SELECT unnest(['é', NULL, repeat('x', 20), '']), 1 UNION ALL SELECT repeat('y', 30), 2";
  const result = await connection.run(`SELECT * FROM (${sql}) ORDER BY 2`);
  const chunks = await result.fetchAllChunks();
  const total = (index: number): number =>
    chunks.reduce((sum, chunk) => sum + textBytes(result.columnType(index), chunk, index), 0);
  expect([total(0), total(1)]).toEqual([52, 0]);
});

it("copies no types whose values differ between the engine and Arrow", async () => {
  const others = ["uuid()", "1::HUGEINT", "[1]", "{'a': 1}", "INTERVAL 1 DAY", "'a'::ENUM('a')", "'1'::BIT"];
  const statement = await connection.prepare(`SELECT ${others.join(", ")}`);
  const copied = others.filter((_, index) => hasArrowLayout(statement.columnType(index)));
  expect(copied).toEqual([]);
});
