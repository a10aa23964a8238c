import { type FileHandle, open } from "node:fs/promises";

/** Of a footer; what is asked for lies before its lists of row groups, which may be long. */
const maxFooterBytes = 16_000_000;

/**
 * How many rows a Parquet file says that it has. It is read without an engine: a result is committed by it, whatever
 * becomes of the processes that have one.
 * @throws when it is no Parquet file
 * @see https://parquet.apache.org/docs/file-format/metadata/
 */
export async function parquetRowCount(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const end = size < 12 ? Buffer.alloc(8) : await read(file, size - 8, 8);
    const length = end.readUInt32LE();
    if (end.toString("latin1", 4) !== "PAR1" || length > size - 12) throw new Error("the result is no Parquet file");
    return rowsOf(await read(file, size - 8 - length, Math.min(length, maxFooterBytes)));
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** `num_rows`, the third field of a footer, after those that are passed over. */
function rowsOf(footer: Buffer): number {
  let at = 0;
  const byte = (): number => footer.readUInt8(at++); // throws beyond the end
  const pass = (length: number): void => {
    at += length;
    if (at > footer.length) throw new Error("the footer of the result is cut off");
  };

  function varint(): number {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const next = byte();
      value += (next & 127) * place;
      if (next < 128) return value;
    }
  }

  /** Goes through the fields of a struct until one is found. */
  function fields(isFound: (id: number, type: number) => boolean): void {
    for (let id = 0; ; ) {
      const header = byte();
      if (header === 0) return;
      id = header >> 4 === 0 ? varint() / 2 : id + (header >> 4);
      if (isFound(id, header & 15)) return;
      passValue(header & 15);
    }
  }

  /** @see https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md */
  function passValue(type: number, isInList = false): void {
    if (type === 1 || type === 2)
      pass(isInList ? 1 : 0); // true and false
    else if (type === 3)
      pass(1); // a byte
    else if (type >= 4 && type <= 6)
      varint(); // integers of 16, 32 and 64 bits
    else if (type === 7)
      pass(8); // a double
    else if (type === 8)
      pass(varint()); // bytes
    else if (type === 9) passList();
    else if (type === 12)
      fields(() => false); // a struct
    else throw new Error(`the footer of the result has a value of type ${type}`);
  }

  function passList(): void {
    const header = byte();
    const length = header >> 4 === 15 ? varint() : header >> 4;
    for (let index = 0; index < length; index += 1) passValue(header & 15, true);
  }

  let rows: number | undefined;
  fields((id, type) => {
    if (id === 3 && type === 6) rows = varint() / 2; // of an integer that is not negative, the sign is its last bit
    return rows !== undefined;
  });
  if (rows === undefined) throw new Error("the footer of the result does not say how many rows it has");
  return rows;
}
