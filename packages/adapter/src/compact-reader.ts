/** Field of a struct: its id, and the type of its value. */
interface Field {
  readonly id: number;
  readonly type: number;
}

/** Types of values in Thrift's compact protocol. */
export const compactType = { text: 8, list: 9, struct: 12 } as const;

/**
 * Reader of values in Thrift's compact protocol, in which the footer of a Parquet file is written.
 * @see https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export interface CompactReader {
  /** Offset of the next byte. */
  position(): number;
  /** Yields the fields of a struct. The caller reads or skips the value of each before it takes the next. */
  fields(): Generator<Field>;
  /** Reads the head of a list. The caller then reads or skips each value. */
  list(): { readonly size: number; readonly type: number };
  /** Reads an integer of 16, 32 or 64 bits. It is exact within ±2^53. */
  integer(): number;
  /** Skips the value of a field. */
  skip(type: number): void;
}

/** @throws {Error} while it reads, if the bytes end early or have an unknown type */
export function createCompactReader(bytes: Buffer): CompactReader {
  let at = 0;
  const byte = (): number => bytes.readUInt8(at++); // throws at the end of the bytes
  const advance = (length: number): void => {
    at += length;
    if (at > bytes.length) throw new Error("Invalid Parquet footer: it is truncated.");
  };

  function varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      value += (next & 127) * factor;
      if (next < 128) return value;
    }
  }

  function integer(): number {
    const encoded = varint(); // zigzag encoding: 0, -1, 1, -2, … are written as 0, 1, 2, 3, …
    return encoded % 2 === 0 ? encoded / 2 : -(encoded + 1) / 2;
  }

  function* fields(): Generator<Field> {
    for (let id = 0; ; ) {
      const header = byte();
      if (header === 0) return;
      id = header >> 4 === 0 ? integer() : id + (header >> 4); // the difference to the id of the field before it
      yield { id, type: header & 15 };
    }
  }

  function list(): { size: number; type: number } {
    const header = byte();
    return { size: header >> 4 === 15 ? varint() : header >> 4, type: header & 15 };
  }

  function skip(type: number, isInList = false): void {
    if (type === 1 || type === 2)
      advance(isInList ? 1 : 0); // a boolean, whose value is its type except in lists
    else if (type === 3)
      advance(1); // a byte
    else if (type >= 4 && type <= 6) varint();
    else if (type === 7)
      advance(8); // a double
    else if (type === compactType.text) advance(varint());
    else if (type === compactType.list) {
      const { size, type: itemType } = list();
      for (let index = 0; index < size; index += 1) skip(itemType, true);
    } else if (type === compactType.struct) for (const field of fields()) skip(field.type);
    else throw new Error(`Invalid Parquet footer: unknown type ${type}.`);
  }

  return { position: () => at, fields, list, integer, skip: (type) => skip(type) };
}
