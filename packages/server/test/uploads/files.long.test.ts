import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPythonEnvironment } from "../../../../tools/published-clients/src/python/environment.ts";
import { startServer, type TestServer, temporaryDirectory } from "../fixture.ts";
import { type Format, fileOf, filesOf, rowsOfEngine, upload } from "./fixture.ts";

const environment = await createPythonEnvironment("pyarrow==26.0.1");
const itWithPython = it.skipIf("lacks" in environment); // the machine lacks python3 or PyPI

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await temporaryDirectory();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Compares the rows that a run reads from files with those that the engine reads from them. */
async function expectSameRows(files: readonly (readonly [format: Format, path: string])[]): Promise<void> {
  const uploads: Record<string, string> = {};
  for (const [index, [format, path]] of files.entries())
    uploads[`t${index}`] = await upload(server, format, readFileSync(path));
  const rowsFrom = (tables: readonly string[]) =>
    tables
      .map(
        (table, index) =>
          `select ${index} as file, to_json(whole)::varchar as line, typeof(whole) as type from ${table} as whole`,
      )
      .join(" union all ");
  const expected = await rowsOfEngine(rowsFrom(files.map(([, path]) => `'${path}'`)));
  expect(await server.rows(rowsFrom(Object.keys(uploads)), { uploads })).toEqual(expected);
}

const value = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("", "NULL", " a ", 'say "hi"', "a,b", "x\ny", "007", "1e5", "2026-01-01", "true", "é😀"),
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
);
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((columns) =>
    fc.array(fc.array(value, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 20 }),
  );

it("has the values that the engine reads, for random tables in each format", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(table, fc.boolean(), async (rows, isQuoted) => {
      const names = (rows[0] ?? []).map((_, index) => `c${index}`);
      const cell = (text: string) => (isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const csv = [names, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
      const objects = rows.map((row) => Object.fromEntries(row.map((text, index) => [`c${index}`, text])));
      const base = join(folder, String(count++));
      await writeFile(`${base}.csv`, csv);
      await writeFile(`${base}.json`, objects.map((each) => JSON.stringify(each)).join("\n"));
      const parquet = await fileOf(`from read_json('${base}.json')`, "parquet");
      await expectSameRows([
        ["csv", `${base}.csv`],
        ["json", `${base}.json`],
        ["parquet", parquet],
      ]);
    }),
    { numRuns: 8, examples: [[[["a", "NULL"]], false]] },
  );
});

itWithPython("has the values of Parquet files that pyarrow has written", async () => {
  const script = `
import sys, decimal, datetime
import pyarrow as pa, pyarrow.parquet as pq
n = 160
table = pa.table({
  "i": pa.array([None if i % 7 == 0 else i * 2**40 for i in range(n)], pa.int64()),
  "u": pa.array([i % 256 for i in range(n)], pa.uint8()),
  "d": pa.array([decimal.Decimal(i) / 100 for i in range(n)], pa.decimal128(20, 2)),
  "f": pa.array([i / 3 for i in range(n)], pa.float32()),
  "t": pa.array([datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=i) for i in range(n)], pa.timestamp("us", "UTC")),
  "day": pa.array([datetime.date(1900, 1, 1) + datetime.timedelta(days=i) for i in range(n)]),
  "word": pa.array([f"w{i % 11} é" for i in range(n)]).dictionary_encode(),
  "list": pa.array([[i, None] for i in range(n)]),
  "struct": pa.array([{"x": i, "y": {"z": str(i)}} for i in range(n)]),
  "bytes": pa.array([bytes([i % 256]) for i in range(n)]),
})
for codec in ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]:
  pq.write_table(table, f"{sys.argv[1]}/{codec}.parquet", compression=codec, row_group_size=50, data_page_version="2.0" if codec == "zstd" else "1.0")
`;
  const written = await temporaryDirectory();
  if ("python" in environment) execFileSync(environment.python, ["-c", script, written]);
  const files = readdirSync(written).map((name) => ["parquet", join(written, name)] as const);
  expect(files).toHaveLength(6);
  await expectSameRows(files);
  const sums = "sum(i) / 2**40 as i, max(d)::varchar as d, max(t)::varchar as t, max(struct.y.z::int) as z";
  const uploads = { t: await upload(server, "parquet", readFileSync(join(written, "zstd.parquet"))) };
  const numbers = Array.from({ length: 160 }, (_, index) => index).filter((index) => index % 7 !== 0);
  expect(await server.rows(`select ${sums} from t`, { uploads })).toEqual([
    [numbers.reduce((sum, each) => sum + each), "1.59", "2026-01-01 00:02:39+00", 159],
  ]);
});

const texts = ['say "hi"', "a,b;c", "x\r\ny", "", " padded ", "é😀", "NULL", "\\n"];

itWithPython("has the values of CSV and JSON files that Python has written", async () => {
  const script = `
import csv, json, sys
texts = json.loads(sys.argv[2])
for name, encoding, options in [
  ("excel", "utf-8-sig", {}), ("unix", "utf-8", {"dialect": "unix"}), ("tabs", "utf-8", {"dialect": "excel-tab"}),
  ("semicolons", "utf-8-sig", {"delimiter": ";", "quoting": csv.QUOTE_ALL}),
]:
  with open(f"{sys.argv[1]}/{name}.csv", "w", newline="", encoding=encoding) as file:
    writer = csv.writer(file, **options)
    writer.writerow(["n", "text", "next"])
    writer.writerows([i, text, f"w{i}"] for i, text in enumerate(texts))
objects = [{"n": i, "text": text, "next": f"w{i}"} for i, text in enumerate(texts)]
with open(f"{sys.argv[1]}/lines.json", "w") as file:
  file.writelines(json.dumps(each) + "\\n" for each in objects)
with open(f"{sys.argv[1]}/windows.json", "w", newline="\\r\\n", encoding="utf-8") as file:
  file.writelines(json.dumps(each, ensure_ascii=False) + "\\n" for each in objects)
with open(f"{sys.argv[1]}/array.json", "w") as file:
  json.dump(objects, file, indent=2)
`;
  const written = await temporaryDirectory();
  if ("python" in environment) execFileSync(environment.python, ["-c", script, written, JSON.stringify(texts)]);
  const names = readdirSync(written);
  expect(names).toHaveLength(7);
  const uploads: Record<string, string> = {};
  for (const name of names)
    uploads[name] = await upload(server, name.endsWith(".csv") ? "csv" : "json", readFileSync(join(written, name)));
  const tables = names.map(
    (name) => `select '${name}' as file, n::int as n, coalesce(text, '') as text, next from "${name}"`,
  );
  const rows = await server.rows(`${tables.join(" union all ")} order by file, n`, { uploads });
  const expected = names.sort().flatMap((name) => texts.map((text, n) => [name, n, text, `w${n}`]));
  expect(rows).toEqual(expected);
});

it("that would fill the memory ends its run and nothing else", async () => {
  const bomb = readFileSync(await fileOf("select repeat('x', 1000) as x from range(3_000_000)", "parquet"));
  expect(bomb.length).toBeLessThan(1_000_000);
  const run = await server.run("select string_agg(x, '') as x from bomb", {
    uploads: { bomb: await upload(server, "parquet", bomb) },
  });
  expect(run.state).toBe("QUERY_STATE_FAILED");
  expect(await server.rows("select 1")).toEqual([[1]]);
  await expect.poll(() => filesOf(server)).toEqual([]);
});

it("of random bytes never ends the server", async () => {
  const parquet = readFileSync(await fileOf("select range as n, 'a' || range as t from range(5000)", "parquet"));
  const damaged = fc
    .tuple(fc.nat(parquet.length - 1), fc.uint8Array({ minLength: 1, maxLength: 40 }))
    .map(([at, bytes]) => {
      const copy = Buffer.from(parquet);
      copy.set(bytes.subarray(0, copy.length - at), at);
      return copy;
    });
  const garbage = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        damaged.map((bytes) => ["parquet", bytes] as const),
        fc.tuple(fc.constantFrom<Format>("csv", "json", "parquet"), garbage),
      ),
      async ([format, bytes]) => {
        const run = await server.run("select count(*), max(t::varchar) from t", {
          uploads: { t: await upload(server, format, bytes) },
        });
        expect(run.state).toMatch(/SUCCESS|FAILED/);
        expect(JSON.stringify(run)).not.toMatch(/\/proc\/|upload-\d|quern-test/);
      },
    ),
    { numRuns: 12 },
  );
  expect(await server.rows("select 1")).toEqual([[1]]);
});
