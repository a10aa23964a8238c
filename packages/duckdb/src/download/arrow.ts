import type { FileHandle } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { uniqueNames } from "@quern/query-run/columns";
import { Field, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from "apache-arrow";
import { quotedText } from "../engine/quoting.ts";
import { storedType } from "../engine/stored-type.ts";
import { resultRows } from "../results/result-files.ts";
import { arrowColumn } from "./arrow-column.ts";
import { rowRanges } from "./row-ranges.ts";
import type { LocatedDownload } from "./task.ts";

/** Writes a result as a stream of Arrow record batches (IPC format). */
export async function writeArrow(
  connection: DuckDBConnection,
  task: LocatedDownload,
  target: FileHandle,
): Promise<void> {
  const cells = task.columns.map((_, index) => `c${index}`);
  const types = task.columns.map(storedType);
  const stored = await connection.prepare(`SELECT ${cells.join(", ")} FROM ${resultRows(task.files, quotedText)}`);
  const columns = types.map((type, index) => arrowColumn(type, stored.columnType(index)));
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
  for await (const ranges of rowRanges(connection, task, cells)) {
    const children = columns.map(({ data }, index) => data(ranges[index] ?? []));
    const length = ranges[0]?.length ?? 0;
    writer.write(new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children })));
    await flush();
  }
  writer.finish();
  await flush();
}
