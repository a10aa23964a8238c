import { type DuckDBDataChunk, type DuckDBDecimalType, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { type Data, type DataType, makeData } from "apache-arrow";

/** Size of a value, in bytes, for the types whose values are the same bytes in the engine and in Arrow. */
const valueBytes: Readonly<Partial<Record<Id, number>>> = {
  [Id.TINYINT]: 1,
  [Id.UTINYINT]: 1,
  [Id.SMALLINT]: 2,
  [Id.USMALLINT]: 2,
  [Id.INTEGER]: 4,
  [Id.UINTEGER]: 4,
  [Id.FLOAT]: 4,
  [Id.DATE]: 4,
  [Id.BIGINT]: 8,
  [Id.UBIGINT]: 8,
  [Id.DOUBLE]: 8,
  [Id.TIME]: 8,
  [Id.TIMESTAMP]: 8,
  [Id.TIMESTAMP_TZ]: 8,
  [Id.TIMESTAMP_NS]: 8,
  [Id.DECIMAL]: 16, // in the form of `vectorCell`
};
const otherTypes: ReadonlySet<Id> = new Set([Id.BOOLEAN, Id.VARCHAR, Id.BLOB]);

/** Returns true if {@link copiedVectors} can copy the vectors of a type. */
export function hasArrowLayout({ typeId }: DuckDBType): boolean {
  return valueBytes[typeId] !== undefined || otherTypes.has(typeId);
}

/** Returns SQL for a column whose vectors are copied. The engine has shorter integers for short decimals than Arrow. */
export function vectorCell(type: DuckDBType, cell: string): string {
  return type.typeId === Id.DECIMAL ? `CAST(${cell} AS DECIMAL(38,${(type as DuckDBDecimalType).scale}))` : cell;
}

/** Part of a column: a vector of the engine. It is valid as long as its chunk. */
interface Part {
  readonly vector: duckdb.Vector;
  /** Number of its first row in the column. */
  readonly firstRow: number;
  readonly rowCount: number;
  /** Rows of the vector without a value. The engine leaves arbitrary bytes there. */
  readonly nulls: readonly number[];
}

/**
 * Copies a column from the memory of the engine. Values as objects of JavaScript would take several times as long.
 * @param stored Type of the column in the engine; `hasArrowLayout` must return true for it.
 */
export function copiedVectors(
  type: DataType,
  stored: DuckDBType,
  chunks: readonly DuckDBDataChunk[],
  column: number,
): Data {
  const parts: Part[] = [];
  let length = 0;
  for (const chunk of chunks) {
    parts.push(partOf(chunk, column, length));
    length += chunk.rowCount;
  }
  const nullCount = parts.reduce((count, { nulls }) => count + nulls.length, 0);
  const nullBitmap = nullCount === 0 ? undefined : validity(parts, length);
  // The overloads of `makeData` differ by type; these are the buffers of the type.
  return makeData({ type, length, nullCount, nullBitmap, ...buffers(stored.typeId, parts, length) } as Parameters<
    typeof makeData
  >[0]);
}

/** Returns the number of bytes of the texts of a column, 0 if it has none. */
export function textBytes({ typeId }: DuckDBType, chunk: DuckDBDataChunk, column: number): number {
  if (typeId !== Id.VARCHAR && typeId !== Id.BLOB) return 0;
  const part = partOf(chunk, column, 0);
  let bytes = 0;
  for (const length of textLengths(part, entriesOf(part))) bytes += length;
  return bytes;
}

function partOf({ chunk, rowCount }: DuckDBDataChunk, column: number, firstRow: number): Part {
  const vector = duckdb.data_chunk_get_vector(chunk, column);
  return { vector, firstRow, rowCount, nulls: nullRows(vector, rowCount) };
}

function buffers(typeId: Id, parts: readonly Part[], length: number): object {
  if (typeId === Id.BOOLEAN) return { data: booleans(parts, length) };
  const size = valueBytes[typeId];
  return size === undefined ? texts(parts, length) : { data: values(parts, length, size) };
}

function nullRows(vector: duckdb.Vector, rowCount: number): readonly number[] {
  const rows: number[] = [];
  // The bitmap has words of 64 bits. A vector without nulls has none.
  const bits: Uint8Array | null = duckdb.vector_get_validity(vector, Math.ceil(rowCount / 64) * 8);
  if (bits !== null) for (let row = 0; row < rowCount; row += 1) if (!bitAt(bits, row)) rows.push(row);
  return rows;
}

function validity(parts: readonly Part[], length: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let row = 0; row < length; row += 1) setBit(bits, row);
  clearNulls(bits, parts);
  return bits;
}

function booleans(parts: readonly Part[], length: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (const { vector, firstRow, rowCount } of parts) {
    const bytes = duckdb.vector_get_data(vector, rowCount);
    for (let row = 0; row < rowCount; row += 1) if (bytes[row] !== 0) setBit(bits, firstRow + row);
  }
  clearNulls(bits, parts);
  return bits;
}

function values(parts: readonly Part[], length: number, size: number): Uint8Array {
  const bytes = new Uint8Array(length * size);
  for (const { vector, firstRow, rowCount, nulls } of parts) {
    const start = firstRow * size;
    bytes.set(duckdb.vector_get_data(vector, rowCount * size), start);
    for (const row of nulls) bytes.fill(0, start + row * size, start + (row + 1) * size);
  }
  return bytes;
}

/** Bytes of the entry of a text: its length, and the text itself or its first bytes and a pointer to it. */
const entryBytes = 16;
/** Maximum length of a text that is in its entry. */
const inlineBytes = 12;
const maxOffset = 2 ** 31 - 1;

function texts(parts: readonly Part[], length: number): { data: Uint8Array; valueOffsets: Int32Array } {
  const vectors = parts.map((part) => {
    const entries = entriesOf(part);
    return { entries, lengths: textLengths(part, entries) };
  });
  const valueOffsets = new Int32Array(length + 1);
  let [row, end] = [0, 0];
  for (const { lengths } of vectors)
    for (const each of lengths) {
      end += each;
      if (end > maxOffset)
        throw new Error(
          `Texts too long for Arrow: more than ${maxOffset} bytes in ${length} rows; download the result as Parquet.`,
        );
      row += 1;
      valueOffsets[row] = end;
    }
  const data = new Uint8Array(end);
  for (const [index, { entries, lengths }] of vectors.entries())
    copyTexts(entries, lengths, data.subarray(valueOffsets[parts[index]?.firstRow ?? 0]));
  return { data, valueOffsets };
}

function entriesOf({ vector, rowCount }: Part): Uint8Array {
  return duckdb.vector_get_data(vector, rowCount * entryBytes);
}

function textLengths({ rowCount, nulls }: Part, entries: Uint8Array): Uint32Array {
  const words = wordsOf(entries);
  const lengths = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) lengths[row] = words[row * 4] as number;
  for (const row of nulls) lengths[row] = 0;
  return lengths;
}

/** Copies the texts of a vector. @param lengths Lengths of the texts, 0 for null. */
function copyTexts(entries: Uint8Array, lengths: Uint32Array, target: Uint8Array): void {
  const words = wordsOf(entries);
  let at = 0;
  let run = new Uint8Array();
  let runAddress = Number.NaN;
  for (let row = 0; row < lengths.length; row += 1) {
    const length = lengths[row] as number;
    if (length <= inlineBytes) copyBytes(entries, row * entryBytes + 4, length, target, at);
    else {
      let from = addressAt(words, row) - runAddress;
      if (!(from >= 0 && from + length <= run.length)) {
        run = textRun(entries, words, lengths, row);
        runAddress = addressAt(words, row);
        from = 0;
      }
      copyBytes(run, from, length, target, at);
    }
    at += length;
  }
}

/**
 * Returns the memory of a long text and of those that directly follow it there, so that each byte is part of a text.
 * One call for each text would take as long as the rest of the copy.
 */
function textRun(entries: Uint8Array, words: Uint32Array, lengths: Uint32Array, row: number): Uint8Array<ArrayBuffer> {
  const address = addressAt(words, row);
  let length = lengths[row] as number;
  for (let next = row + 1; next < lengths.length; next += 1) {
    const nextLength = lengths[next] as number;
    if (nextLength <= inlineBytes) continue;
    if (addressAt(words, next) !== address + length) break;
    length += nextLength;
  }
  const pointer = entries.byteOffset + row * entryBytes + 8;
  return duckdb.get_data_from_pointer(entries.buffer as ArrayBuffer, pointer, length) as Uint8Array<ArrayBuffer>;
}

/** Returns the address of a long text; NaN, which starts a new run, for one that a number cannot hold exactly. */
function addressAt(words: Uint32Array, row: number): number {
  const [low, high] = [words[row * 4 + 2] as number, words[row * 4 + 3] as number];
  return high < 2 ** 21 ? high * 2 ** 32 + low : Number.NaN;
}

const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

/** A loop copies few bytes faster than `set`, which needs a view of them. */
const loopBytes = 64;

function copyBytes(source: Uint8Array, from: number, length: number, target: Uint8Array, at: number): void {
  if (length > loopBytes) target.set(source.subarray(from, from + length), at);
  else for (let index = 0; index < length; index += 1) target[at + index] = source[from + index] as number;
}

function bitAt(bits: Uint8Array, row: number): boolean {
  return (((bits[row >> 3] as number) >> (row & 7)) & 1) === 1;
}

function setBit(bits: Uint8Array, row: number): void {
  bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7));
}

function clearNulls(bits: Uint8Array, parts: readonly Part[]): void {
  for (const { firstRow, nulls } of parts)
    for (const row of nulls.map((each) => firstRow + each))
      bits[row >> 3] = (bits[row >> 3] as number) & ~(1 << (row & 7));
}
