import type { ResultColumn } from "@quern/query-run/record";
import { describe, expect, it } from "vitest";
import { rowPlan } from "../../src/reader/row-plan.ts";

const columnsOf = (...types: readonly string[]): readonly ResultColumn[] =>
  types.map((engineType, index) => ({ name: `é${index}`, kind: "unknown", engineType }));
const plan = (columns: readonly ResultColumn[], change: Partial<Parameters<typeof rowPlan>[0]> = {}) =>
  rowPlan({ columns, format: "csv", rowIndex: false, ...change });
const lengthOf = (cell: string): string => `coalesce(strlen(CAST(${cell} AS VARCHAR)), 0)`;

describe("the size of a row", () => {
  it.each([
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
    "DECIMAL(38,2)",
    "FLOAT",
    "DOUBLE",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_S",
    "TIMESTAMP_MS",
    "TIMESTAMP_NS",
    "TIMESTAMP WITH TIME ZONE",
    "TIME",
    "TIME_NS",
    "TIME WITH TIME ZONE",
    "UUID",
  ])("has a bound for %s", (type) => {
    expect(plan(columnsOf(type)).textBytes).toBeUndefined();
  });

  it.each(["VARCHAR", "BLOB", "BIGNUM", "INTERVAL", "BIT", "JSON", "INTEGER[]", "ENUM('a')", 'STRUCT("a" INTEGER)'])(
    "is that of the text of %s",
    (type) => expect(plan(columnsOf(type)).textBytes).toBe(`CAST(${lengthOf("c0")} AS DOUBLE)`),
  );

  it("is the sum of all texts, beside 44 bytes for each value and the bytes of the names", () => {
    const columns = columnsOf("VARCHAR", "BIGINT", "BLOB");
    expect(plan(columns).textBytes).toBe(`CAST(${lengthOf("c0")} + ${lengthOf("c2")} AS DOUBLE)`);
    expect(plan(columns).boundedBytes).toBe("[,,".length + 2 + 3 * 44);
    const names = '{"é0":,"é1":,"é2":';
    expect(plan(columns, { format: "json" }).boundedBytes).toBe(Buffer.byteLength(names) + 2 + 3 * 44);
    const index = ',"__row_index":';
    expect(plan(columns, { format: "json", rowIndex: true }).boundedBytes).toBe(
      Buffer.byteLength(names + index) + 2 + 4 * 44,
    );
  });
});

describe("the parts of a row", () => {
  const selects = (...given: Parameters<typeof plan>) => plan(...given).parts.map(({ select }) => select);

  it("are the text of adjacent columns, and each column that the engine cannot write", () => {
    const { parts, text } = plan(columnsOf("INTEGER", "INTEGER", "JSON", "INTEGER"));
    expect([parts.map(({ select }) => select), text]).toEqual([
      [
        "concat('[', coalesce(CAST(c0 AS VARCHAR), 'null'), '', ',', coalesce(CAST(c1 AS VARCHAR), 'null'), '')",
        "c2",
        "concat(',', coalesce(CAST(c3 AS VARCHAR), 'null'), ']')",
      ],
      undefined,
    ]);
    expect(parts.map(({ write }) => write('{"a": 1}'))).toEqual(['{"a": 1}', ',{"a": 1}', '{"a": 1}']);
  });

  it("are one text, with the number of the row at its end, if the engine can write all columns", () => {
    const row = "concat('{\"é0\":', coalesce(CAST(c0 AS VARCHAR), 'null'), '', ',\"__row_index\":', ";
    const numbered = { format: "json", rowIndex: true } as const;
    expect(plan(columnsOf("INTEGER"), numbered).text).toBe(
      `${row}coalesce(quern_json_integer(file_row_number), 'null'), '}')`,
    );
    expect(plan(columnsOf("INTEGER"), { ...numbered, rowNumber: "row_number" }).text).toBe(
      `${row}coalesce(quern_json_integer(row_number), 'null'), '}')`,
    );
  });

  it("have escapes as JavaScript writes them", () => {
    const [part] = plan(columnsOf("VARCHAR")).parts;
    expect(part?.write('["\\u001F"]')).toBe('["\\u001f"]');
  });

  it("are the columns if JavaScript writes the only one", () => {
    expect(selects(columnsOf("JSON"))).toEqual(["c0"]);
    expect(plan(columnsOf("JSON")).text).toBeUndefined();
    expect(plan(columnsOf("JSON")).parts[0]?.write(null)).toBe("[null]");
  });

  it("are the columns if their text would be too long to plan", () => {
    const json = "CAST(c0 AS VARCHAR)".length;
    const shortNames = Math.floor(20_000 / (json + 2)); // most names have two digits more
    expect(selects(columnsOf(...Array.from({ length: shortNames }, () => "INTEGER")))).toHaveLength(1);
    expect(selects(columnsOf(...Array.from({ length: shortNames + 60 }, () => "INTEGER"))).length).toBeGreaterThan(1);
  });
});
