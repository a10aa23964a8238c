import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { createClient, query } from "@quern/client";
import { tableFromIPC } from "apache-arrow";
import { API_KEY, cli, type Service } from "../../src/service.ts";
import { arrowRows } from "./arrow-text.ts";
import { type Sample, statementOf } from "./sample.ts";

/** Text of each cell of the two rows, the samples and the NULLs. Null means that there is no value. */
type Cells = readonly (readonly (string | null)[])[];

/** One result in all formats, with the columns in the order of the samples. */
export interface Forms {
  readonly queryRunId: string;
  readonly kinds: readonly string[];
  readonly engineTypes: readonly string[];
  readonly runEngineTypes: readonly string[] | undefined;
  readonly parquetTypes: readonly string[];
  readonly arrowTypes: readonly string[];
  readonly cells: Readonly<Record<Form, Cells>>;
  /** Bytes of the downloads. */
  readonly downloads: Readonly<Record<"parquet" | "arrow", Buffer>>;
}

export const forms = [
  "JSON page",
  "CSV page",
  "NDJSON",
  "CSV",
  "terminal",
  "terminal CSV",
  "Parquet",
  "Arrow",
] as const;
export type Form = (typeof forms)[number];

export type Engine = (sql: string) => Promise<(string | null)[][]>;

/** Queries DuckDB itself, in UTC as in the service, and returns the rows as text. */
export async function openEngine(): Promise<Engine> {
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run("SET TimeZone = 'UTC'");
  return async (sql) => {
    const rows = (await connection.runAndReadAll(sql)).getRows();
    return rows.map((row) => row.map((value) => (value === null ? null : String(value))));
  };
}

/** Runs one statement for all samples, and reads its result in every format. */
export async function readForms(
  service: Service,
  samples: readonly Sample[],
  engine: Engine,
  folder: string,
): Promise<Forms> {
  const client = createClient({ url: service.url, apiKey: API_KEY });
  const sql = statementOf(samples);
  const { queryRunId, queryRun } = await query(client, { sql });
  const names = samples.map((_, index) => `c${index}`);
  const arrays = await jsonRpc(service.url, "getQueryRunResults", { queryRunId, format: "csv" });
  const objects = await jsonRpc(service.url, "getQueryRunResults", { queryRunId, format: "json" });
  const ndjson = String(await download(service.url, queryRunId, "ndjson"))
    .trimEnd()
    .split("\n");
  const parquet = join(folder, `${queryRunId}.parquet`);
  const downloads = {
    parquet: await download(service.url, queryRunId, "parquet"),
    arrow: await download(service.url, queryRunId, "arrow"),
  };
  await writeFile(parquet, downloads.parquet);
  const table = tableFromIPC(downloads.arrow);
  const member = (row: Readonly<Record<string, unknown>>) => names.map((name) => jsonText(row[name]));
  return {
    queryRunId,
    kinds: arrays.columnTypes,
    engineTypes: arrays.columnEngineTypes,
    runEngineTypes: queryRun.columnEngineTypes,
    parquetTypes: (await engine(`SELECT column_type FROM (DESCRIBE FROM '${parquet}')`)).map(([type]) => type ?? ""),
    arrowTypes: table.schema.fields.map(({ type }) => String(type)),
    cells: {
      "JSON page": objects.rows.map(member),
      "CSV page": arrays.rows.map((row: readonly unknown[]) => row.map(jsonText)),
      NDJSON: ndjson.map((line) => member(exactJson(line))),
      CSV: csvRows(String(await download(service.url, queryRunId, "csv"))).slice(1),
      terminal: tableRows(terminal(service.url, sql, "table")),
      "terminal CSV": csvRows(terminal(service.url, sql, "csv")).slice(1),
      Parquet: await engine(`SELECT ${names.map((name) => `CAST(${name} AS VARCHAR)`).join(", ")} FROM '${parquet}'`),
      Arrow: arrowRows(table),
    },
    downloads,
  };
}

/** Runs a statement, writes its result as Parquet, as a stream and as a file of Arrow, and returns the paths. */
export async function saveDownloads({ url }: Service, sql: string, path: string): Promise<string[]> {
  const { queryRunId } = await query(createClient({ url, apiKey: API_KEY }), { sql });
  const save = async (format: string) => {
    await writeFile(`${path}.${format}`, await download(url, queryRunId, format));
    return `${path}.${format}`;
  };
  const file = `${path}.file.arrow`;
  const env = { ...process.env, QUERN_URL: url, QUERN_API_KEY: API_KEY };
  await promisify(execFile)(process.execPath, [cli, "result", queryRunId, "-o", file], { env });
  return [await save("parquet"), await save("arrow"), file];
}

export async function download(url: string, queryRunId: string, format: string): Promise<Buffer> {
  const link = await jsonRpc(url, "getQueryRunDownload", { queryRunId, format });
  const response = await fetch(link.url);
  if (response.status !== 200) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}

/** Calls a method, and returns its result with numbers as their text. */
export async function jsonRpc(url: string, method: string, params: object) {
  const headers = { "content-type": "application/json", "x-api-key": API_KEY };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
  const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, body });
  return exactJson(await response.text()).result;
}

// TypeScript's library does not declare `JSON.rawJSON` and the third argument of a reviver yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** Numbers keep their text, which `JSON.stringify` writes again. */
export function exactJson(text: string) {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === "number" ? rawJSON(context?.source ?? "") : value,
  );
}

const jsonText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function terminal(url: string, sql: string, format: string): string {
  const env = { ...process.env, QUERN_URL: url, QUERN_API_KEY: API_KEY };
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [cli, "query", "-", "--format", format, "--max-age-minutes", "60"],
    {
      env,
      input: sql,
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Returns the cells of a printed table, found by the rules below its header. A null is the word NULL. */
function tableRows(table: string): Cells {
  const [, rules = "", ...lines] = table.trimEnd().split("\n");
  const ranges = [...rules.matchAll(/─+/g)].map(({ index, 0: { length } }) => [index, index + length]);
  return lines.map((line) =>
    ranges.map(([from, to]) => line.slice(from, to).trim()).map((cell) => (cell === "NULL" ? null : cell)),
  );
}

/** Returns the cells of a CSV file, in which an empty field without quotes is null. */
function csvRows(csv: string): Cells {
  const records = csv.match(/(?:"(?:[^"]|"")*"|[^"\n])*\n/g) ?? [];
  return records.map((record) => {
    const fields = `,${record}`.match(/,(?:"(?:[^"]|"")*"|[^",\n]*)/g) ?? [];
    return fields.map((each) => {
      const field = each.slice(1);
      if (field === "") return null;
      return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
    });
  });
}
