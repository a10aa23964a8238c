/** Process that writes downloads, one at a time. It runs no SQL of callers. */
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { uniqueNames } from "@quern/query-run/columns";
import { quotedName } from "../engine/quoting.ts";
import { storedType } from "../engine/stored-type.ts";
import { ownDirectory } from "../processes/child-directory.ts";
import { serveParent } from "../processes/serving.ts";
import { jsonMacros } from "../reader/json-cell.ts";
import { sortedQuery } from "../reader/page-query.ts";
import { openEngine } from "../results/engine.ts";
import { parquetRowCount } from "../results/parquet-row-count.ts";
import { resultFiles, separateZeros } from "../results/result-files.ts";
import { copyRows, copyRowText } from "./row-copy.ts";
import { csvHeader, writeRowText } from "./row-text.ts";
import type { DownloadTask, LocatedDownload } from "./task.ts";
import { textCells } from "./text-cell.ts";

async function download(task: DownloadTask): Promise<void> {
  // The files are checked before the first byte, so that a missing result is an error and not a truncated download.
  const files = resultFiles(task.paths);
  const last = files.at(-1);
  const storedCount = last === undefined ? 0 : last.firstRow + parquetRowCount(last.path);
  if (storedCount !== task.rowCount)
    throw new Error(`Incomplete result: its files have ${storedCount} of ${task.rowCount} rows.`);
  // Each download has an engine of its own, so that no data of the previous download stays in the process.
  const engine = await openEngine(task);
  const connection = await engine.connect();
  try {
    await write(connection, await viewed(connection, { ...task, files }));
  } finally {
    connection.closeSync();
    engine.close();
    if (task.view !== undefined) await rm(viewPath, { force: true });
  }
}

const viewPath = join(ownDirectory, "view.parquet");

/**
 * Writes the rows of the view to a file in their order. Returns the task of writing that file, in any format as a whole
 * result; the task itself without a view.
 */
async function viewed(connection: DuckDBConnection, task: LocatedDownload): Promise<LocatedDownload> {
  if (task.view === undefined) return task;
  const { text, values, types } = sortedQuery({ ...task, ...task.view }, viewPath);
  for (const macro of jsonMacros) await connection.run(macro);
  await connection.run(text, values, types);
  const { size: totalBytes } = await stat(viewPath);
  return { ...task, files: [{ path: viewPath, firstRow: 0 }], rowCount: parquetRowCount(viewPath), totalBytes };
}

async function write(connection: DuckDBConnection, task: LocatedDownload): Promise<void> {
  switch (task.format) {
    case "parquet":
      return copyParquet(connection, task);
    case "arrow": {
      const { writeArrow } = await import("./arrow.ts");
      return intoTarget(task, (target) => writeArrow(connection, task, target));
    }
    default:
      return writeText(connection, task, task.format);
  }
}

async function copyParquet(connection: DuckDBConnection, { columns, ...task }: LocatedDownload): Promise<void> {
  const names = uniqueNames(columns.map(({ name }) => name));
  await copyRows(
    connection,
    task,
    names.map((name, index) => `c${index} AS ${quotedName(name)}`),
    `parquet, COMPRESSION zstd${separateZeros(columns.map(storedType))}`,
  );
}

async function writeText(connection: DuckDBConnection, task: LocatedDownload, format: "csv" | "ndjson"): Promise<void> {
  const { columns } = task;
  const names = columns.map(({ name }) => name);
  const cells = textCells(columns, format);
  if (format === "csv") await intoTarget(task, (file) => file.writeFile(csvHeader(names)));
  if (cells === undefined) return intoTarget(task, (file) => writeRowText(connection, task, file));
  await copyRowText(connection, task, format, cells);
}

async function intoTarget(
  { target }: DownloadTask,
  write: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const file = await open(target, "a");
  try {
    await write(file);
  } finally {
    await file.close();
  }
}

serveParent({ download: (argument) => download(argument as DownloadTask) }); // sent by `downloads.ts`
