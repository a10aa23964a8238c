import { fstatSync, readSync } from "node:fs";
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

/** Reads `num_rows`, the third field of a footer in Thrift's compact protocol. The fields before it are skipped. */
function rowCountIn(footer: Buffer): number {
  let at = 0;
  const byte = (): number => footer.readUInt8(at++); // throws at the end of the footer
  const skip = (length: number): void => {
    at += length;
    if (at > footer.length) throw new Error("Invalid Parquet footer: it is truncated.");
  };

  function varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      value += (next & 127) * factor;
      if (next < 128) return value;
    }
  }

  /** Reads the fields of a struct until one is found. A header has the difference to the id of the field before it. */
  function fields(isFound: (id: number, type: number) => boolean): void {
    for (let id = 0; ; ) {
      const header = byte();
      if (header === 0) return;
      id = header >> 4 === 0 ? varint() / 2 : id + (header >> 4);
      if (isFound(id, header & 15)) return;
      skipValue(header & 15);
    }
  }

  /** @see https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md */
  function skipValue(type: number, isInList = false): void {
    if (type === 1 || type === 2)
      skip(isInList ? 1 : 0); // a boolean, whose value is its type except in lists
    else if (type === 3)
      skip(1); // a byte
    else if (type >= 4 && type <= 6)
      varint(); // integers of 16, 32 and 64 bits
    else if (type === 7)
      skip(8); // a double
    else if (type === 8)
      skip(varint()); // bytes
    else if (type === 9) skipList();
    else if (type === 12)
      fields(() => false); // a struct
    else throw new Error(`Invalid Parquet footer: unknown type ${type}.`);
  }

  function skipList(): void {
    const header = byte();
    const length = header >> 4 === 15 ? varint() : header >> 4;
    for (let index = 0; index < length; index += 1) skipValue(header & 15, true);
  }

  let rows: number | undefined;
  fields((id, type) => {
    if (id === 3 && type === 6) rows = varint() / 2; // zigzag encoding: n >= 0 is written as 2n
    return rows !== undefined;
  });
  if (rows === undefined) throw new Error("Invalid Parquet footer: it has no row count.");
  return rows;
}
