/** Process that writes downloads, one at a time. It runs no SQL of callers. */
import { open } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { uniqueNames } from "@quern/query-run/columns";
import { quotedName } from "../engine/quoting.ts";
import { storedType } from "../engine/stored-type.ts";
import { serveParent } from "../processes/serving.ts";
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
    await write(connection, { ...task, files });
  } finally {
    connection.closeSync();
    engine.close();
  }
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
