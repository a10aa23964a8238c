import { setImmediate } from "node:timers/promises";
import { type CompactReader, compactType, createCompactReader } from "@quern/adapter";

/** Rows that are stored together: their numbers in the file, and the range of their bytes. */
export interface RowGroup {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly start: number;
  readonly end: number;
}

/** Name of a column in the bytes of a footer, with its length before it. */
interface NameSpan {
  readonly start: number;
  readonly end: number;
  readonly column: number;
}

/** Parts of the footer of a Parquet file that the service needs. */
export interface Footer {
  readonly bytes: Buffer;
  readonly rowCount: number;
  readonly columnCount: number;
  /** Row groups in the order of their rows. */
  readonly rowGroups: readonly RowGroup[];
  readonly names: readonly NameSpan[];
}

/** Row groups after which other work of the process may run. */
const groupsPerSlice = 50;

/**
 * Reads a footer, without the 8 bytes after it. It is read in slices, because a footer can have megabytes.
 * @throws {Error} if the bytes are no complete footer
 * @see https://parquet.apache.org/docs/file-format/metadata/
 */
export async function readFooter(bytes: Buffer): Promise<Footer> {
  const reader = createCompactReader(bytes);
  const names: NameSpan[] = [];
  const rowGroups: RowGroup[] = [];
  let leaves: readonly number[] = [];
  let rowCount = 0;
  for (const { id, type } of reader.fields()) {
    if (id === 2) leaves = readSchema(reader, names);
    else if (id === 3) rowCount = reader.integer();
    else if (id === 4) {
      const { size } = reader.list();
      for (let firstRow = 0; rowGroups.length < size; ) {
        const group = readRowGroup(reader, firstRow, leaves, names);
        rowGroups.push(group);
        firstRow += group.rowCount;
        if (rowGroups.length % groupsPerSlice === 0) await setImmediate();
      }
    } else reader.skip(type);
  }
  return { bytes, rowCount, columnCount: (leaves.at(-1) ?? -1) + 1, rowGroups, names };
}

/** Returns the bytes of a footer with other names of its columns. The values and their offsets stay. */
export function renameColumns({ bytes, names }: Footer, columns: readonly string[]): Buffer {
  const texts = columns.map((column) => {
    const text = Buffer.from(column);
    return Buffer.concat([varint(text.length), text]);
  });
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { start, end, column } of names) {
    const text = texts[column];
    if (text === undefined) throw new Error(`The footer has more columns than the ${columns.length} given names.`);
    parts.push(bytes.subarray(copied, start), text);
    copied = end;
  }
  parts.push(bytes.subarray(copied));
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Reads the schema, whose elements follow one another depth first. Returns the column of each value without children. */
function readSchema(reader: CompactReader, names: NameSpan[]): readonly number[] {
  const { size } = reader.list();
  const leaves: number[] = [];
  let read = 0;
  const element = (): { readonly childCount: number; readonly name: Omit<NameSpan, "column"> } => {
    read += 1;
    let childCount = 0;
    let name = { start: 0, end: 0 };
    for (const { id, type } of reader.fields()) {
      const start = reader.position();
      if (id === 5) childCount = reader.integer();
      else reader.skip(type);
      if (id === 4) name = { start, end: reader.position() };
    }
    return { childCount, name };
  };
  const descendants = (childCount: number, column: number): void => {
    if (childCount === 0) leaves.push(column);
    for (let child = 0; child < childCount; child += 1) descendants(element().childCount, column);
  };
  const root = element();
  for (let column = 0; column < root.childCount; column += 1) {
    const { childCount, name } = element();
    names.push({ ...name, column });
    descendants(childCount, column);
  }
  if (read !== size) throw new Error("Invalid Parquet footer: its schema is incomplete.");
  return leaves;
}

function readRowGroup(reader: CompactReader, firstRow: number, leaves: readonly number[], names: NameSpan[]): RowGroup {
  let rowCount = 0;
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const { id, type } of reader.fields()) {
    if (id === 3) rowCount = reader.integer();
    else if (id === 1) {
      const { size } = reader.list();
      for (let leaf = 0; leaf < size; leaf += 1) {
        const chunk = readChunk(reader, leaves[leaf] ?? 0, names);
        start = Math.min(start, chunk.start);
        end = Math.max(end, chunk.end);
      }
    } else reader.skip(type);
  }
  return { firstRow, rowCount, start: Math.min(start, end), end };
}

/** Reads where the values of a column in a row group are. */
function readChunk(reader: CompactReader, column: number, names: NameSpan[]): { start: number; end: number } {
  let start = Number.POSITIVE_INFINITY;
  let length = 0;
  for (const field of reader.fields()) {
    if (field.id !== 3) {
      reader.skip(field.type);
      continue;
    }
    for (const { id, type } of reader.fields()) {
      if (id === 7) length = reader.integer();
      else if (id === 9 || id === 11)
        start = Math.min(start, reader.integer() || start); // pages of values, and of the dictionary before them
      else if (id === 3) readPath(reader, column, names);
      else reader.skip(type);
    }
  }
  return { start, end: start + length };
}

/** Reads the names of a column and of the nested value in it. */
function readPath(reader: CompactReader, column: number, names: NameSpan[]): void {
  const { size } = reader.list();
  for (let index = 0; index < size; index += 1) {
    const start = reader.position();
    reader.skip(compactType.text);
    if (index === 0) names.push({ start, end: reader.position(), column });
  }
}
