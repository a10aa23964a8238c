import { fstatSync, readSync } from "node:fs";
import { createCompactReader } from "@quern/adapter";
import { withOpened } from "../processes/opened-file.ts";

/** Maximum number of bytes of a footer to read. They include the row count, which precedes the list of row groups. */
const maxFooterBytes = 16_000_000;

/**
 * Returns the number of rows in the footer of a Parquet file. It needs no engine, so that the server can verify a
 * result after the process that wrote it has ended. It is synchronous: the file has just been written, so the system
 * has its footer in memory, and each switch to another thread would take longer than the read.
 * @param file path, or descriptor of an open file
 * @throws {Error} if the file is not a complete Parquet file
 * @see https://parquet.apache.org/docs/file-format/metadata/
 */
export function parquetRowCount(file: string | number): number {
  const countIn = (descriptor: number): number => {
    const { position, length } = footerOf(descriptor);
    return rowCountIn(read(descriptor, position, Math.min(length, maxFooterBytes)));
  };
  return typeof file === "number" ? countIn(file) : withOpened(file, countIn);
}

/**
 * Returns the size of the footer of a Parquet file in bytes.
 * @throws {Error} if the file is not a complete Parquet file
 */
export function parquetFooterBytes(path: string): number {
  return withOpened(path, (descriptor) => footerOf(descriptor).length);
}

function footerOf(descriptor: number): { readonly position: number; readonly length: number } {
  const { size } = fstatSync(descriptor);
  const end = size < 12 ? Buffer.alloc(8) : read(descriptor, size - 8, 8);
  const length = end.readUInt32LE();
  if (end.toString("latin1", 4) !== "PAR1" || length > size - 12)
    throw new Error("Invalid Parquet file: the result has no complete footer.");
  return { position: size - 8 - length, length };
}

function read(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position));
}

/** Reads `num_rows`, the third field of a footer. */
function rowCountIn(footer: Buffer): number {
  const reader = createCompactReader(footer);
  for (const { id, type } of reader.fields()) {
    if (id === 3 && type === 6) return reader.integer();
    reader.skip(type);
  }
  throw new Error("Invalid Parquet footer: it has no row count.");
}
