import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { columnReading } from "../../src/loading/postgres-column.ts";

it.each([
  ["boolean", "BOOLEAN"],
  ["smallint", "SMALLINT"],
  ["integer", "INTEGER"],
  ["bigint", "BIGINT"],
  ["oid", "UINTEGER"],
  ["real", "FLOAT"],
  ["double precision", "DOUBLE"],
  ["uuid", "UUID"],
  ["json", "JSON"],
  ["jsonb", "JSON"],
  ["time with time zone", "VARCHAR"],
  ["inet", "VARCHAR"],
  ["bytea", "VARCHAR"],
  ["numeric", "VARCHAR"],
  ["numeric(10,2)", "VARCHAR"],
  ["character varying(20)", "VARCHAR"],
])("a column of type %s is read as %s", (type, csvType) => {
  expect(columnReading({ name: 'a "b"', type })).toMatchObject({ csvType, copied: '"a ""b"""' });
});

it.each([
  ["date", "DATE"],
  ["timestamp(3) without time zone", "TIMESTAMP"],
  ["timestamp(0) with time zone", "TIMESTAMPTZ"],
  ["time(6) without time zone", "TIME"],
  ["interval", "INTERVAL"],
  ["interval day to second(3)", "INTERVAL"],
  ["interval year to month", "INTERVAL"],
])("a column of type %s is converted from its text to %s", async (type, converted) => {
  const reading = columnReading({ name: "a", type });
  expect(reading.csvType).toBe("VARCHAR");
  expect(await reading.value({} as never, "csv", "cell")).toBe(`CAST(cell AS ${converted})`);
});

it("copies arrays as JSON", () => {
  expect(columnReading({ name: "a", type: "integer[]" })).toMatchObject({ csvType: "JSON", copied: 'to_json("a")' });
});

describe("the value that is kept", () => {
  async function kept(type: string, ...texts: string[]): Promise<unknown> {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    try {
      const values = texts.map((text) => `('${text}')`).join(", ");
      await connection.run(`CREATE TABLE csv (cell VARCHAR)`);
      if (texts.length > 0) await connection.run(`INSERT INTO csv VALUES ${values}`);
      return await columnReading({ name: "a", type }).value(connection, "csv", "cell");
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }
  const decimal = (width: number, scale: number) => `CAST(cell AS DECIMAL(${width}, ${scale}))`;

  it.each<[string, string[], string]>([
    ["integer", ["1"], "cell"],
    ["bytea", ["\\x00ff"], "unhex(substr(cell, 3))"],
    ["numeric(10,2)", ["1.25", "-3.00"], decimal(10, 2)],
    ["numeric(10)", ["1"], decimal(10, 0)],
    ["numeric(10,2)", ["1.25", "NaN"], "cell"],
    ["numeric(38,38)", ["0.1"], decimal(38, 38)],
    ["numeric(39,2)", ["1.25"], decimal(18, 2)],
    ["numeric(5,-2)", ["12300"], decimal(18, 0)],
    ["numeric(2,4)", ["0.0012"], decimal(18, 4)],
    ["numeric", [], decimal(18, 0)],
    ["numeric", ["1.5", "-12345678901234567890.25"], decimal(22, 2)],
    ["numeric", ["1".repeat(36), "0.12"], decimal(38, 2)],
    ["numeric", ["1".repeat(37), "0.12"], "cell"],
    ["numeric", ["Infinity"], "cell"],
  ])("of %s with %j is %s", async (type, texts, value) => {
    expect(await kept(type, ...texts)).toBe(value);
  });
});
