import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { loadSamples } from "../../../samples/src/samples.ts";
import { type SampleTable, sampleTables } from "../../../samples/src/tables.ts";
import type { Sample } from "./sample.ts";

/** Small tables of the samples, with texts, numbers and dates. */
const names = ["cars", "countries", "disasters", "stocks", "weather"];

/** Returns the tables of the page as JSON: the same rows that `npm start` loads. */
export async function sampleFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "quern-site-"));
  try {
    const tables = sampleTables.filter(({ name }) => names.includes(name));
    const { path } = await loadSamples(folder, tables);
    const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" });
    const connection = await instance.connect();
    const samples: Sample[] = [];
    for (const table of tables) samples.push(await sampleOf(connection, table));
    connection.closeSync();
    instance.closeSync();
    return JSON.stringify(samples);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sampleOf(connection: DuckDBConnection, { name, comment }: SampleTable): Promise<Sample> {
  const reader = await connection.runAndReadAll(`select * from ${name}`);
  const columns = reader.columnNames().map((column, at) => {
    const engineType = String(reader.columnType(at));
    return { name: column, type: typeOf(engineType), engineType };
  });
  const rows = reader.getRowsJson().map((row) =>
    row.map((value, at) => {
      if (value === null) return null;
      return columns[at]?.type === "number" ? Number(value) : String(value);
    }),
  );
  return { name, comment, columns, rows };
}

function typeOf(engineType: string): "number" | "string" | "date" {
  if (engineType === "DATE") return "date";
  return engineType === "VARCHAR" ? "string" : "number";
}
