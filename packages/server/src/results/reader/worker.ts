/** The process that reads stored results. It runs no SQL but its own. */
import { DuckDBInstance } from "@duckdb/node-api";
import { maxPageSize, pageRange } from "@quern/query-run/page";
import { CallError } from "../../processes/messages.ts";
import { serveParent } from "../../processes/serving.ts";
import { rowIndexColumn } from "../row-index.ts";
import { countQuery, rowsQuery } from "./page-query.ts";
import { writeRows } from "./page-text.ts";
import type { InspectedFile, InspectTask, PageAnswer, PageTask } from "./task.ts";

// The process starts in its own directory, where it may spill.
const instance = await DuckDBInstance.create(":memory:", {
  threads: "2",
  memory_limit: "500MB",
  temp_directory: "spill",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
});

async function inspect({ path }: InspectTask): Promise<InspectedFile> {
  const connection = await instance.connect();
  try {
    const footer = await connection.runAndReadAll("SELECT num_rows FROM parquet_file_metadata($1)", [path]);
    return { rowCount: Number(footer.getRows()[0]?.[0]) };
  } finally {
    connection.closeSync();
  }
}

async function page(task: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  const { columns, conditions, format, maxBytes } = task;
  const connection = await instance.connect();
  signal.addEventListener("abort", () => connection.interrupt());
  try {
    await connection.run("SET TimeZone = 'UTC'");
    let totalRows = task.rowCount;
    if (conditions.length > 0) {
      const { text, values, types } = countQuery(task);
      totalRows = Number((await connection.runAndReadAll(text, values, types)).getRows()[0]?.[0]);
    }
    const range = pageRange(task.page, totalRows);
    // A cell has at least two bytes, so more rows than this cannot fit, and a part of them tells the size.
    const possibleRows = Math.ceil(maxBytes / (2 * columns.length));
    const rowCount = Math.min(range.rowCount, possibleRows);
    const { text, values, types } = rowsQuery(task, range.offset, rowCount);
    const shown = task.rowIndex ? [...columns, rowIndexColumn] : columns;
    const rows = await writeRows(await connection.run(text, values, types), shown, format, maxBytes);
    if (rows.bytes > maxBytes || rowCount < range.rowCount) {
      return { maxPageSize: maxPageSize(rows.rowCount, rows.bytes, maxBytes) };
    }
    if (rows.rowCount !== rowCount) throw new Error(`the file gave ${rows.rowCount} rows of ${rowCount}`);
    const head = `{${task.members},"page":${JSON.stringify(range.page)},"rows":`;
    return { json: Buffer.concat([Buffer.from(head), ...rows.parts, Buffer.from("}")]) };
  } catch (error) {
    throw readerError(error);
  } finally {
    connection.closeSync();
  }
}

/** A value that cannot be compared with its column is the caller's mistake; all else is the file's or ours. */
function readerError(error: unknown): CallError {
  const message = error instanceof Error ? error.message : String(error);
  const name =
    message.startsWith("Conversion Error") || message.startsWith("Binder Error") ? "ValueError" : "ReadError";
  return new CallError({ name, message, data: { category: "INTERNAL" } });
}

// Both arguments are written by the reader beside this file.
serveParent({
  inspect: (argument) => inspect(argument as InspectTask),
  page: (argument, signal) => page(argument as PageTask, signal),
});
