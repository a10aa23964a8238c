import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyRowText } from "../../src/download/row-copy.ts";
import { writeRowText } from "../../src/download/row-text.ts";
import { textCells } from "../../src/download/text-cell.ts";
import { columnKind, engineTypeName, storedCell } from "../../src/engine/column-type.ts";
import { lowerCaseEscapes } from "../../src/reader/json-cell.ts";

let directory: string;
let instance: DuckDBInstance;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "quern-row-copy-"));
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
});
afterAll(async () => {
  instance.closeSync();
  await rm(directory, { recursive: true });
});

/** Stores the rows of a statement as the service does, in the same order. */
async function stored(connection: DuckDBConnection, sql: string, integers: "number" | "text", path: string) {
  const statement = await connection.prepare(sql);
  const indexes = Array.from({ length: statement.columnCount }, (_, index) => index);
  const types = indexes.map((index) => statement.columnType(index));
  const cells = types.map((type, index) => `${storedCell(type, `v${index}`, integers)} AS c${index}`);
  const names = indexes.map((index) => `v${index}`).join(", ");
  await connection.run(`COPY (SELECT ${cells.join(", ")} FROM (${sql}) t(${names})) TO '${path}' (FORMAT parquet)`);
  return types.map(
    (type, index): ResultColumn => ({
      name: statement.columnName(index),
      kind: columnKind(type),
      engineType: engineTypeName(type),
    }),
  );
}

/**
 * Writes each column of a statement with the engine and with JavaScript, and expects equal bytes.
 * @returns the types that the engine cannot write
 */
async function compare(sql: string, format: "csv" | "ndjson", integers: "number" | "text"): Promise<readonly string[]> {
  const others: string[] = [];
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const path = join(directory, "result.parquet");
  const columns = await stored(connection, sql, integers, path);
  const rowCount = Number((await connection.runAndReadAll(`SELECT count(*) FROM (${sql})`)).getRows()[0]?.[0]);
  connection.closeSync();
  for (const [index, column] of columns.entries()) {
    if (textCells([column], format) === undefined) {
      others.push(column.engineType);
      continue;
    }
    const engine = await DuckDBInstance.create(":memory:", { threads: "1" }); // a copy creates its macros
    const single = await engine.connect();
    await single.run("SET TimeZone = 'UTC'");
    const file = join(directory, "single.parquet");
    await single.run(`COPY (SELECT c${index} AS c0 FROM '${path}') TO '${file}' (FORMAT parquet)`);
    const byEngine = join(directory, "engine");
    const task = { columns: [column], files: [{ path: file, firstRow: 0 }], target: byEngine };
    await copyRowText(single, task, format, textCells([column], format) ?? []);
    const byScript = join(directory, "script");
    await using target = await open(byScript, "w");
    const download = { ...task, paths: [file], format, rowCount, totalBytes: 1, spillMegabytes: 10 };
    await writeRowText(single, download, target);
    expect([column.engineType, lowerCaseEscapes(await readFile(byEngine, "utf8"))]).toEqual([
      column.engineType,
      await readFile(byScript, "utf8"),
    ]);
    single.closeSync();
    engine.closeSync();
  }
  return others;
}

const wide = [
  "0",
  "1",
  "-1",
  "NULL",
  "999999999999999999",
  "1000000000000000000",
  "-999999999999999999",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
];
const fractions = [
  "0",
  "0.5",
  "-0.5",
  "-0.1",
  "NULL",
  "99999999999999999.9",
  "-99999999999999999.9",
  "100000000000000000",
];
const valuesOf = (type: string, values: readonly string[]): string =>
  `SELECT unnest([${values.map((value) => `'${value}'`.replace("'NULL'", "NULL")).join(", ")}])::${type} AS v`;

/** Statements of the comparison: every type of the engine with its extremes, and values that need care. */
const statements = {
  // The extremes of the two excluded types are no TIMESTAMP, and so cannot be stored.
  "all types": "SELECT * EXCLUDE (timestamp_s, timestamp_ms) FROM test_all_types()",
  integers: `SELECT h, h::VARCHAR::DECIMAL(38,0) AS d, h::VARCHAR::BIGNUM AS b FROM (${valuesOf("HUGEINT", wide)}) t(h)`,
  decimals: `SELECT v, v::DECIMAL(38,17) AS seventeen, v::DECIMAL(19,1) AS one, v / 1000 AS double FROM (${valuesOf("DECIMAL(20,1)", fractions)})`,
  fractions: "SELECT unnest([0.5, -0.5, NULL, 0, 9.999999999999999999])::DECIMAL(38,18) AS v",
  texts: `SELECT unnest(['', ' ', 'null', 'NULL', 'a,b', 'a"b', '"', E'a\\nb', E'a\\rb', E'\\r\\n', E'\\t', '1', '{"a":1}', 'ä€😀', E'\\x01', '''', '\\', NULL]) AS v`,
  numbers: "SELECT unnest([0, -0.0, 1e-7, 1e21, 1e300, 0.1, 5e-324, 'nan', 'inf', '-inf', NULL]::DOUBLE[]) AS v",
  floats: "SELECT unnest([0, -0.0, 1e-7, 1e21, 0.1, 16777216, 'nan', 'inf', '-inf', NULL]::FLOAT[]) AS v",
  blobs: "SELECT unnest([''::BLOB, '\\x00'::BLOB, '\\xFF\\xFE'::BLOB, 'a'::BLOB, NULL]) AS v",
  moments: `SELECT v, v::DATE AS day, v::TIMESTAMP_S AS s, v::TIMESTAMP_MS AS ms, v::TIMESTAMPTZ AS tz FROM (SELECT unnest([
    '2026-11-20 09:30:00', '2026-11-20 09:30:00.1205', '2026-11-20 09:30:00.000001', '1969-12-31 23:59:59.999999',
    '0001-01-01', '0044-03-15 (BC) 01:02:03.5', '12026-01-02 00:00:00', '9999-12-31 23:59:59.999999', NULL]::TIMESTAMP[]) AS v)`,
};

it.each(Object.entries(statements))("the engine writes the bytes of JavaScript: %s", async (_, sql) => {
  for (const format of ["csv", "ndjson"] as const) await compare(sql, format, "text");
});

it.each(["csv", "ndjson"] as const)(
  "the engine writes the bytes of JavaScript for wide integers in decimals: %s",
  async (format) => {
    await compare(statements.integers, format, "number");
  },
);

it("JavaScript writes nested values and nanoseconds", async () => {
  const others = await compare(statements["all types"], "csv", "text");
  expect(others.filter((type) => !/\]$|^(STRUCT|MAP|UNION)\(/.test(type))).toEqual(["TIMESTAMP_NS"]);
});

it("writes NDJSON of more columns than the engine nests expressions", async () => {
  const engine = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await engine.connect();
  const columns = Array.from(
    { length: 600 },
    (_, index) => ({ name: `n${index}`, kind: "number", engineType: "INTEGER" }) as const,
  );
  const [path, target] = [join(directory, "wide.parquet"), join(directory, "wide.ndjson")];
  await connection.run(
    `COPY (SELECT ${columns.map((_, index) => `${index}::INTEGER AS c${index}`).join(", ")}) TO '${path}' (FORMAT parquet)`,
  );
  const cells = textCells(columns, "ndjson") ?? [];
  await copyRowText(connection, { columns, files: [{ path, firstRow: 0 }], target }, "ndjson", cells);
  connection.closeSync();
  engine.closeSync();
  expect(Object.entries(JSON.parse(await readFile(target, "utf8")))).toEqual(
    columns.map(({ name }, index) => [name, index]),
  );
});
