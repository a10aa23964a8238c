/** Process that writes downloads, one at a time. It runs no SQL of callers. */
import { open } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { rowKeys, uniqueNames } from "@quern/query-run/columns";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { serveParent } from "../processes/serving.ts";
import { openEngine } from "../results/engine.ts";
import { parquetRowCount } from "../results/parquet-row-count.ts";
import { resultFiles, resultRows } from "../results/result-files.ts";
import { csvHeader, writeRowText } from "./row-text.ts";
import type { DownloadTask, LocatedDownload } from "./task.ts";
import { macros, textCells } from "./text-cell.ts";

async function download(task: DownloadTask): Promise<void> {
  // The files are checked before the first byte, so that a missing result is an error and not a truncated download.
  const files = await resultFiles(task.paths);
  const last = files.at(-1);
  const storedCount = last === undefined ? 0 : last.firstRow + (await parquetRowCount(last.path));
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
  await copy(
    connection,
    task,
    names.map((name, index) => `c${index} AS ${quotedName(name)}`),
    "parquet, COMPRESSION zstd",
  );
}

async function writeText(connection: DuckDBConnection, task: LocatedDownload, format: "csv" | "ndjson"): Promise<void> {
  const { columns } = task;
  const names = columns.map(({ name }) => name);
  const cells = textCells(columns, format);
  if (format === "csv") await intoTarget(task, (file) => file.writeFile(csvHeader(names)));
  if (cells === undefined) return intoTarget(task, (file) => writeRowText(connection, task, file));
  for (const macro of macros) await connection.run(macro);
  const selected = format === "csv" ? cells.map((cell, index) => `${cell} AS c${index}`) : [jsonLine(names, cells)];
  await copy(connection, task, selected, format === "csv" ? "csv, HEADER false" : plainLines);
}

/** Options for CSV of one column without quotes. The delimiter is a control character, which JSON text escapes. */
const plainLines = "csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\x01'";

/**
 * Returns SQL for a row as a JSON object. The engine's own JSON would round decimals and write numbers with other
 * digits.
 */
function jsonLine(names: readonly string[], cells: readonly string[]): string {
  const members = rowKeys(names).map((key, index) => {
    const start = `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`;
    return `${quotedText(start)} || coalesce(${cells[index]}, 'null')`;
  });
  return `${members.join(" || ")} || '}' AS line`;
}

async function copy(
  connection: DuckDBConnection,
  { files, target }: Pick<LocatedDownload, "files" | "target">,
  selected: readonly string[],
  form: string,
): Promise<void> {
  await connection.run(
    `COPY (SELECT ${selected.join(", ")} FROM ${resultRows(files, quotedText)})
     TO ${quotedText(target)} (FORMAT ${form}, USE_TMP_FILE false)`,
  );
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
