import type { FileHandle } from "node:fs/promises";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { uniqueNames } from "@quern/query-run/columns";
import {
  type Data,
  type DataType,
  Field,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from "apache-arrow";
import { quotedText } from "../engine/quoting.ts";
import { storedType } from "../engine/stored-type.ts";
import { resultRows } from "../results/result-files.ts";
import { arrowColumn } from "./arrow-column.ts";
import { copiedVectors, hasArrowLayout, textBytes, vectorCell } from "./arrow-vectors.ts";
import { rowRanges } from "./row-ranges.ts";
import type { LocatedDownload } from "./task.ts";

/** Writes a result as a stream of Arrow record batches (IPC format). */
export async function writeArrow(
  connection: DuckDBConnection,
  task: LocatedDownload,
  target: FileHandle,
): Promise<void> {
  const columns = await columnsOf(connection, task);
  const names = uniqueNames(task.columns.map(({ name }) => name));
  const fields = columns.map(({ type }, index) => new Field(names[index] ?? "", type, true));
  const schema = new Schema(fields);
  const writer = new RecordBatchStreamWriter();
  const messages = writer[Symbol.asyncIterator]();
  let next = messages.next();

  /** Writes the finished messages. Without this step the writer would keep the whole result in memory. */
  async function flush(): Promise<void> {
    for (;;) {
      const message = await Promise.race([next, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
      if (message === undefined || message.done) return;
      await target.writeFile(message.value);
      next = messages.next();
    }
  }

  writer.reset(undefined, schema);
  const cells = columns.map(({ cell }) => cell);
  const bytesOf = (chunk: DuckDBDataChunk): number => columns.reduce((sum, { textBytes }) => sum + textBytes(chunk), 0);
  for await (const chunks of rowRanges(connection, task, cells, bytesOf)) {
    const children = columns.map(({ data }) => data(chunks));
    const length = chunks.reduce((count, { rowCount }) => count + rowCount, 0);
    writer.write(new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children })));
    await flush();
  }
  writer.finish();
  await flush();
}

interface Column {
  readonly type: DataType;
  /** SQL that selects the column. */
  readonly cell: string;
  /** Converts the rows of chunks to a vector. */
  data(chunks: readonly DuckDBDataChunk[]): Data;
  /** Returns the size of its texts, 0 if it has none. */
  textBytes(chunk: DuckDBDataChunk): number;
}

/** Returns the columns. Those that have the layout of Arrow in the engine are copied; of others each value is converted. */
async function columnsOf(connection: DuckDBConnection, { files, columns }: LocatedDownload): Promise<Column[]> {
  const cells = columns.map((_, index) => `c${index}`);
  const statement = await connection.prepare(`SELECT ${cells.join(", ")} FROM ${resultRows(files, quotedText)}`);
  return columns.map((column, index): Column => {
    const cell = `c${index}`;
    const stored = statement.columnType(index);
    const { type, data } = arrowColumn(storedType(column), stored);
    // Different if the file stores another type, such as the text of an ENUM.
    const hasStoredType = String(type) === String(arrowColumn(stored, stored).type);
    return hasStoredType && hasArrowLayout(stored)
      ? {
          type,
          cell: vectorCell(stored, cell),
          data: (chunks) => copiedVectors(type, stored, chunks, index),
          textBytes: (chunk) => textBytes(stored, chunk, index),
        }
      : {
          type,
          cell,
          data: (chunks) => data(chunks.flatMap((chunk) => chunk.getColumnValues(index))),
          textBytes: () => 0,
        };
  });
}
