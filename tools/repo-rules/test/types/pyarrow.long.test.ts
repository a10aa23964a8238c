import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DuckDBConnection, DuckDBInstance, type DuckDBType } from "@duckdb/node-api";
import { createClient, query } from "@quern/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import "../../../../packages/duckdb/src/engine/package-corrections.ts";
import {
  forms,
  isEqual,
  ownAnswer,
  type Reading,
  type Rows,
} from "../../../../packages/duckdb/test/round-trip/forms.ts";
import { parseJson, plainOf } from "../../../../packages/duckdb/test/round-trip/plain.ts";
import type { Stored } from "../../../../packages/duckdb/test/round-trip/product.ts";
import { createRandom } from "../../../../packages/duckdb/test/round-trip/random.ts";
import { randomTable } from "../../../../packages/duckdb/test/round-trip/table.ts";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";
import { API_KEY, type Service, start } from "../../src/service.ts";
import { download, jsonRpc } from "./forms.ts";

const environment = await createPythonEnvironment("pyarrow==26.0.1");
const folder = mkdtempSync(join(tmpdir(), "quern-pyarrow-"));
const script = fileURLToPath(new URL("read_arrow.py", import.meta.url));
const count = 30;

/** Table with the engine's own answer to its statement. */
interface Answered {
  readonly seed: number;
  readonly types: readonly DuckDBType[];
  readonly expected: Rows;
}

let service: Service;
let engine: DuckDBConnection;
const answered: Answered[] = [];
beforeAll(async () => {
  service = await start("serve", "--data-dir", join(folder, "data"));
  engine = await (await DuckDBInstance.create()).connect();
  await engine.run("SET TimeZone = 'UTC'");
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

function differences({ seed, types, expected }: Answered, form: string, rows: Rows): readonly unknown[] {
  if (rows.length !== expected.length) return [{ seed, form, rows: rows.length, expected: expected.length }];
  for (const [index, type] of types.entries())
    for (const [row, values] of expected.entries())
      if (!isEqual(form, type, rows[row]?.[index], values[index] ?? null))
        return [{ seed, form, type: String(type), expected: values[index], actual: rows[row]?.[index] }];
  return [];
}

it(`${count} random tables come back from the pages and links of a service`, async () => {
  const found: unknown[] = [];
  const client = createClient({ url: service.url, apiKey: API_KEY });
  for (let seed = 10_000; seed < 10_000 + count; seed += 1) {
    const table = randomTable(createRandom(seed));
    const { queryRunId } = await query(client, { sql: table.sql });
    const prepared = await engine.prepare(table.sql);
    const types = table.read.map((_, index) => prepared.columnType(index));
    const columns = table.read.map((_, index) => ({ name: prepared.columnName(index) }));
    const page = async (format: string): Promise<string> =>
      JSON.stringify((await jsonRpc(service.url, "getQueryRunResults", { queryRunId, format })).rows);
    const reading: Reading = {
      page: (_, format) => page(format),
      async download(_, format) {
        const bytes = await download(service.url, queryRunId, format);
        await writeFile(join(folder, `${seed}.${format}`), bytes);
        return bytes;
      },
    };
    const answer = { seed, types, expected: await ownAnswer(engine, table, types) };
    answered.push(answer);
    const shown = parseJson(await page("csv"));
    const read = await forms(reading, engine, { types, columns } as unknown as Stored, folder, shown);
    for (const [form, rows] of Object.entries(read)) found.push(...differences(answer, form, rows));
  }
  expect(found).toEqual([]);
});

if ("lacks" in environment) {
  it.skip(`pyarrow does not run here: the machine lacks ${environment.lacks}`); // long, as its file name says
} else {
  it("pyarrow reads the same values from Parquet and Arrow", () => {
    const read = join(folder, "read.json");
    execFileSync(environment.python, [script, folder, read], { stdio: "pipe" });
    const tables: Readonly<Record<string, Readonly<Record<string, readonly (readonly unknown[])[]>>>> = JSON.parse(
      readFileSync(read, "utf8"),
      revived,
    );
    const found = answered.flatMap((answer) =>
      Object.entries(tables[answer.seed] ?? { none: [] }).flatMap(([form, rows]) =>
        differences(
          answer,
          form,
          rows.map((row) => answer.types.map((type, index) => plainOf(type, row[index], "native"))),
        ),
      ),
    );
    expect(found).toEqual([]);
  });
}

/** Returns the counts and bytes that the script marks. */
function revived(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("count" in value) return BigInt(String(value.count));
  return "bytes" in value ? Buffer.from(String(value.bytes), "base64") : value;
}
