import { rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";

let folder: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = await temporaryDirectory();
  connection = await (await DuckDBInstance.create()).connect();
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(folder, { recursive: true });
});

async function rowsOf(sql: string): Promise<readonly unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

const csvOptions = `auto_detect = false, header = false, delim = ',', columns = {a: 'VARCHAR', b: 'VARCHAR'}`;

/** Faults of the engine, and what to remove once a newer engine gives another answer. */
const faults: readonly (readonly [fault: string, remove: string, rows: () => Promise<unknown>, faulty: unknown])[] = [
  [
    "a text with another delimiter hides all rows of a CSV file (duckdb#25827)",
    "the reader of `loading/csv-file.ts` that determines the delimiter itself",
    async () => {
      const path = join(folder, "delimiter.csv");
      await writeFile(path, "c0\nv0\na;b\n");
      return rowsOf(`FROM read_csv('${path}')`);
    },
    [],
  ],
  [
    "a last row of CSV that is longer than two buffers is missing (duckdb#25825)",
    "`buffer_size` and `max_line_size` in `writer/row-query.ts`",
    async () => {
      const path = join(folder, "long.csv");
      await writeFile(path, `${"1,a\n".repeat(999)}2,${"x".repeat(9_000_000)}\n`);
      return rowsOf(`SELECT count(*)::INT FROM read_csv('${path}', ${csvOptions}, buffer_size = 4194304)`);
    },
    [[999]],
  ],
  [
    "a dictionary of Parquet has one zero for 0.0 and -0.0 (duckdb#25781)",
    "`separateZeros` in `results/result-files.ts`",
    async () => {
      const path = join(folder, "zeros.parquet");
      await rowsOf(
        `COPY (SELECT CASE WHEN i = 0 THEN '-0.0'::DOUBLE ELSE 0.0 END AS v FROM range(30) AS t(i)) TO '${path}'`,
      );
      return rowsOf(`SELECT DISTINCT v::VARCHAR FROM '${path}'`);
    },
    [["-0.0"]],
  ],
  ...(["'\\xFF'::BLOB", "'-0.0'::DOUBLE", "'inf'::DOUBLE - 'inf'::DOUBLE"] as const).map(
    (value) =>
      [
        `a bloom filter of Parquet hides ${value} (duckdb#24994, duckdb#23829)`,
        "`typesWithWrongBloomFilters` in `reader/page-query.ts`, for this type",
        async () => {
          const path = join(folder, "filter.parquet");
          const other = value.includes("BLOB") ? "'a'::BLOB" : "1.5::DOUBLE";
          const wanted = value.includes("BLOB") ? value : value.includes("inf") ? "'nan'::DOUBLE" : "0.0::DOUBLE";
          await rowsOf(`COPY (SELECT unnest([${value}, ${other}]) AS v FROM range(30)) TO '${path}'`);
          return rowsOf(`SELECT count(*)::INT FROM '${path}' WHERE v = ${wanted}`);
        },
        [[0]],
      ] as const,
  ),
  [
    "the JSON of a decimal without digits before its point is not that of the standard",
    "the correction of such numbers in `engine/strict-json.ts`",
    () => rowsOf("SELECT 0.5::DECIMAL(1, 1)::VARIANT::JSON::VARCHAR"),
    [[".5"]],
  ],
];

it.each(faults)("the engine still has the fault: %s; if it has not, remove %s", async (_, __, rows, faulty) => {
  expect(await rows()).toEqual(faulty);
});

it("the package of the engine still drops byte order marks, and members named __proto__; if not, remove `engine/package-corrections.ts`", () => {
  // The corrections are for a whole process, so the package is loaded once more.
  const load = createRequire(import.meta.url);
  const root = join(load.resolve("@duckdb/node-api"), "..");
  const saved = Object.keys(load.cache).filter((path) => path.startsWith(root));
  const modules = saved.map((path) => [path, load.cache[path]] as const);
  for (const path of saved) delete load.cache[path];
  try {
    expect(load(join(root, "vectors/dataAccessors.js")).textDecoder.ignoreBOM).toBe(false);
    expect(String(load(join(root, "vectors/DuckDBStructVector.js")).DuckDBStructVector.prototype.getItem)).toContain(
      "entries[this.structType.entryNames[i]] =",
    );
  } finally {
    for (const path of Object.keys(load.cache)) if (path.startsWith(root)) delete load.cache[path];
    for (const [path, module] of modules) load.cache[path] = module;
  }
});
