import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPythonEnvironment } from "../../../../tools/published-clients/src/python/environment.ts";
import { expectSameRows, files } from "./foreign-files.ts";
import { useLoader } from "./loaded-files.ts";

const environment = await createPythonEnvironment("pandas==3.1.1", "polars==2.1.0", "pyarrow==26.0.1");

/** Type of each column of `make-arrow.py` in the engine, and its first and third value in SQL; the second is NULL. */
const columns: Readonly<Record<string, readonly [type: string, first: string, third: string]>> = {
  nulls: ["INTEGER", "NULL", "NULL"],
  bool: ["BOOLEAN", "true", "false"],
  i8: ["TINYINT", "-128", "127"],
  i16: ["SMALLINT", "-32768", "1"],
  i32: ["INTEGER", "-2147483648", "1"],
  i64: ["BIGINT", "(-9223372036854775808)", "9007199254740993"],
  u8: ["UTINYINT", "255", "0"],
  u16: ["USMALLINT", "65535", "0"],
  u32: ["UINTEGER", "4294967295", "0"],
  u64: ["UBIGINT", "18446744073709551615", "0"],
  f16: ["FLOAT", "1.5", "'-0.0'"],
  f32: ["FLOAT", "0.1", "'inf'"],
  f64: ["DOUBLE", "0.1", "'-0.0'"],
  d32: ["DECIMAL(7,2)", "1.10", "-99999.99"],
  d64: ["DECIMAL(17,2)", "1.10", "-123456789012345.67"],
  d128: ["DECIMAL(38,2)", "1.10", `-${"9".repeat(36)}.99`],
  d256: ["DECIMAL(30,2)", "1.10", "-12345678901234567890.12"],
  d3: ["DECIMAL(3,1)", "1.1", "-9.9"],
  d9: ["DECIMAL(9,1)", "1.1", "-99999999.9"],
  text: ["VARCHAR", "'a' || chr(0) || 'b'", "chr(65279) || 'é'"],
  large: ["VARCHAR", "'a'", "''"],
  view: ["VARCHAR", "repeat('x', 30)", "'é'"],
  bin: ["BLOB", "'\\xFF'", "''"],
  lbin: ["BLOB", "'\\xFF'", "''"],
  vbin: ["BLOB", "repeat('x', 30)", "'\\xFF'"],
  fbin: ["BLOB", "'ab'", "'\\x00\\xFF'"],
  date: ["DATE", "'0001-01-01'", "'9999-12-31'"],
  date64: ["DATE", "'0001-01-01'", "'9999-12-31'"],
  t32s: ["TIME", "'00:00:01'", "'23:59:59'"],
  t32ms: ["TIME", "'00:00:00.001'", "'23:59:59.999'"],
  t64us: ["TIME", "'00:00:00.000001'", "'23:59:59.999999'"],
  t64ns: ["TIME_NS", "'00:00:00.000000001'", "'23:59:59.999999999'"],
  tss: ["TIMESTAMP", "'1969-12-31 23:59:59'", "'2106-02-07 06:28:16'"],
  tsms: ["TIMESTAMP", "'1969-12-31 23:59:59.999'", "make_timestamp(4503599627370496000)"],
  tsus: ["TIMESTAMP", "'1969-12-31 23:59:59.999999'", "make_timestamp(9007199254740993)"],
  tsns: ["TIMESTAMP_NS", "'1969-12-31 23:59:59.999999999'", "make_timestamp_ns(4611686018427387905)"],
  tzs: ["TIMESTAMP WITH TIME ZONE", "'1969-12-31 23:59:59+00'", "'2106-02-07 06:28:16+00'"],
  tzms: ["TIMESTAMP WITH TIME ZONE", "'1969-12-31 23:59:59.999+00'", "make_timestamp(4503599627370496000)"],
  tzus: ["TIMESTAMP WITH TIME ZONE", "'1969-12-31 23:59:59.999999+00'", "make_timestamp(9007199254740993)"],
  tzns: ["TIMESTAMP WITH TIME ZONE", "'1969-12-31 23:59:59.999998+00'", "make_timestamp(4611686018427387)"],
  durs: ["INTERVAL", "'-1 second'", "'90 seconds'"],
  durns: ["INTERVAL", "'-1 microsecond'", "to_microseconds(4611686018427387)"],
  mdn: ["INTERVAL", "'-1 month 2 days -3 microseconds'", "'0 days'"],
  list: ["INTEGER[]", "[1, NULL]", "[]"],
  llist: ["VARCHAR[]", "['a', NULL]", "[]"],
  lview: ["INTEGER[]", "[1, NULL]", "[]"],
  llview: ["INTEGER[][]", "[[1], NULL]", "[]"],
  fixed: ["BIGINT[2]", "[1, NULL]", "[3, 4]"],
  fixedl: ["VARCHAR[][2]", "[['a'], NULL]", "[[], ['b', 'c']]"],
  struct: ["STRUCT(a TINYINT, b STRUCT(c DECIMAL(5,1)[]))", "{'a': 1, 'b': {'c': [1.5]}}", "{'a': NULL, 'b': NULL}"],
  map: ["MAP(VARCHAR, INTEGER[])", "MAP {'k': [1, NULL], 'l': NULL}", "MAP {}"],
  mapts: [
    "MAP(TIMESTAMP_NS, TINYINT)",
    "MAP {make_timestamp_ns(4611686018427387905): 1, make_timestamp_ns(4611686018427387904): 2}",
    "MAP {}",
  ],
  dict: ["VARCHAR", "'b'", "'a'"],
  dictnull: ["VARCHAR", "'a'", "'b'"],
  dictlist: ["BIGINT[]", "[2, 3]", "[1]"],
  indict: ["STRUCT(k VARCHAR)[]", "[{'k': 'a'}]", "[{'k': 'a'}, {'k': 'b'}]"],
  sparse: ["UNION(n BIGINT, t VARCHAR)", "union_value(n := 1::BIGINT)", "union_value(t := 'c')"],
  dense: ["UNION(n BIGINT, t VARCHAR)", "union_value(n := 2::BIGINT)", "union_value(n := 1::BIGINT)"],
  ree: ["VARCHAR", "'a'", "NULL"],
  uuid: ["UUID", "'00010203-0405-0607-0809-0a0b0c0d0e0f'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
  json: ["VARCHAR", `'{"a":1.10}'`, "'null'"],
  bool8: ["TINYINT", "1", "0"],
};
/** Second values that are not NULL. */
const seconds: Readonly<Record<string, string>> = {
  sparse: "union_value(t := NULL::VARCHAR)",
  dense: "union_value(t := 'a')",
  ree: "'a'",
};

/** Words of the error for each file that cannot be loaded; its column has the name `bad`. */
const refusals: Readonly<Record<string, string>> = {
  "refused-decimal.arrow": "decimals of 39 digits",
  "refused-scale.arrow": "decimals of the scale -2",
  "refused-struct.arrow": "a struct without members",
  "refused-members.arrow": "members without different names (a, A)",
  "refused-empty.arrow": "lists of 0 items",
  "refused-key.arrow": "a map with equal keys",
  "refused-nanos.arrow": "a value that is not a multiple of 1000",
  "refused-seconds.arrow": "a time beyond the range of the engine",
  "refused-day.arrow": "a time outside of a day",
  "refused-offset.arrow": "an offset outside of the values of its union",
  "refused-utf8.arrow": "a text that is not UTF-8",
  "refused-delta.arrows": "a dictionary in several parts",
};

if ("lacks" in environment) {
  it.skip(`the writers of Python do not run here: the machine lacks ${environment.lacks}`); // long, as its file name says
} else {
  const { loaded } = useLoader();
  const folder = mkdtempSync(join(tmpdir(), "quern-writers-"));
  const load = async (file: string, options = {}) => loaded({ [file]: await readFile(join(folder, file)) }, options);
  beforeAll(() => {
    for (const [script, ...more] of [["make.py", "all"], ["make-arrow.py"]] as const) {
      const path = fileURLToPath(new URL(`foreign-files/${script}`, import.meta.url));
      execFileSync(environment.python, [path, folder, ...more], { stdio: "pipe" });
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const stored = ["sqlite.csv", "fastparquet.parquet"];
  it.each(files.filter(([file]) => !stored.includes(file)))("%s, made now by %s", async (file, _, options) => {
    await expectSameRows(file, await load(file, options));
  });

  const valuesOf = (name: string): readonly string[] => {
    const [type, first, third] = columns[name] ?? ["", "", ""];
    return [first, seconds[name] ?? "NULL", third].map((value) => `(${value})::${type}::VARCHAR`);
  };

  it.each(["plain.arrow", "zstd.arrows", "many.arrow"])("%s of pyarrow has every type and value", async (file) => {
    const { read, report } = await load(file);
    const described = (await read("SELECT column_name, column_type FROM (DESCRIBE t)")) as [string, string][];
    const short = (type: string): string => type.replaceAll('"', "");
    expect(described.map(([name, type]) => [name, short(type)])).toEqual(
      described.map(([name]) => [name, columns[name]?.[0]]),
    );
    expect(described.length).toBeGreaterThan(file === "many.arrow" ? 58 : 61);
    expect(report.cut).toEqual(["tzns"]);
    const count = file === "many.arrow" ? 3_002 : 3;
    expect(await read("SELECT count(*)::INTEGER FROM t")).toEqual([[count]]);
    // Row i of the large file is value (i + 2) % 3, after a first row.
    const at = file === "many.arrow" ? "CASE WHEN i IN (0, 3001) THEN least(i, 1) ELSE (i + 2) % 3 END" : "i";
    const wrong: unknown[] = [];
    for (const [name] of described) {
      const values = valuesOf(name).map((value, index) => `WHEN ${index} THEN ${value}`);
      const rows = await read(`SELECT i, "${name}"::VARCHAR, wanted FROM (
        SELECT row_number() OVER () - 1 AS i, "${name}", CASE ${at} ${values.join(" ")} END AS wanted FROM t)
        WHERE "${name}"::VARCHAR IS DISTINCT FROM wanted LIMIT 1`);
      for (const row of rows) wrong.push([name, ...row]);
    }
    expect(wrong).toEqual([]);
  });

  it("a dictionary that a stream replaces counts from then on", async () => {
    expect((await load("replaced.arrows")).rows).toEqual([["a"], ["b"]]);
  });

  describe("a file with what the engine cannot hold", () => {
    it("is refused with the file and the column", async () => {
      const names = (await readdir(folder)).filter((name) => name.startsWith("refused-")).sort();
      expect(names).toEqual(Object.keys(refusals).sort());
      for (const [name, words] of Object.entries(refusals))
        await expect(load(name), name).rejects.toThrow(`${name} has ${words}; write it with another type, or as text`);
    });
  });
}
