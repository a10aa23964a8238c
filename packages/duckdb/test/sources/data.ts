import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** Returns the rows of a query on databases. */
export async function readDatabases(
  databases: readonly { readonly name: string; readonly path: string }[],
  query: string,
): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    for (const { name, path } of databases) await connection.run(`ATTACH '${path}' AS "${name}" (READ_ONLY)`);
    const [first] = databases;
    if (first !== undefined) await connection.run(`USE "${first.name}"`);
    const reader = await connection.runAndReadAll(query);
    return reader.getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Runs statements on a DuckDB file, or in memory. */
export async function inDuckDB(path: string, ...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

/** Writes a directory of two Parquet files, the second with one more column, a CSV and a JSON file. */
export async function writeExports(folder: string): Promise<void> {
  await mkdir(join(folder, "orders/2026"), { recursive: true });
  await writeFile(join(folder, "customers.csv"), "id,name\n1,Ada\n2,Grace\n");
  await writeFile(
    join(folder, "events.jsonl"),
    '{"day":"2026-11-20","kind":"open"}\n{"day":"2026-11-21","kind":"close"}\n',
  );
  await inDuckDB(
    ":memory:",
    `COPY (SELECT range AS id, range % 2 + 1 AS customer_id FROM range(3)) TO '${folder}/orders/a.parquet'`,
    `COPY (SELECT 3 AS id, 1 AS customer_id, true AS paid) TO '${folder}/orders/2026/b.parquet'`,
  );
}
