import type { DuckDBValue } from "@duckdb/node-api";
import {
  type Binary,
  Bool,
  type Data,
  type DataType,
  type Decimal,
  type Dictionary,
  type FixedSizeList,
  type List,
  type Map_,
  makeData,
  type Struct,
  type Utf8,
} from "apache-arrow";

type Values = readonly DuckDBValue[];
type Numbers =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Builds a vector of numbers of up to 32 bits, or of doubles. @param data array to fill */
export function numberData(
  type: DataType,
  values: Values,
  data: Numbers,
  toNumber: (value: DuckDBValue) => number,
): Data {
  for (const [row, value] of values.entries()) if (value !== null) data[row] = toNumber(value);
  return vector(type, values, { data });
}

/** Builds a vector of integers of 64 bits. @param data array to fill */
export function bigIntData(
  type: DataType,
  values: Values,
  data: BigInt64Array | BigUint64Array,
  toBigInt: (value: DuckDBValue) => bigint,
): Data {
  for (const [row, value] of values.entries()) if (value !== null) data[row] = toBigInt(value);
  return vector(type, values, { data });
}

/** Builds a vector of decimals of 128 bits, with the low half first. */
export function decimalData(type: Decimal, values: Values, unscaled: (value: DuckDBValue) => bigint): Data {
  const halves = new BigInt64Array(values.length * 2);
  for (const [row, value] of values.entries()) {
    if (value === null) continue;
    const number = unscaled(value);
    halves[row * 2] = BigInt.asIntN(64, number);
    halves[row * 2 + 1] = number >> 64n;
  }
  return vector(type, values, { data: new Uint32Array(halves.buffer) });
}

/** Builds a vector of booleans, which are bits. */
export function booleanData(values: Values): Data {
  return vector(new Bool(), values, { data: bits(values, (value) => value === true) });
}

/** Builds a vector of byte strings, one after the other, with their offsets. */
export function byteData(type: Utf8 | Binary, values: Values, toBytes: (value: DuckDBValue) => Uint8Array): Data {
  const pieces = values.map((value) => (value === null ? null : toBytes(value)));
  const valueOffsets = offsets(pieces, (piece) => piece.length);
  const data = new Uint8Array(valueOffsets[values.length] ?? 0);
  for (const [row, piece] of pieces.entries()) if (piece !== null) data.set(piece, valueOffsets[row]);
  return vector(type, values, { data, valueOffsets });
}

/** Builds a vector of an enum: indexes into its values. */
export function dictionaryData(
  type: Dictionary,
  values: Values,
  dictionary: object,
  indexOf: (value: DuckDBValue) => number,
): Data {
  const data = new Int32Array(values.length);
  for (const [row, value] of values.entries()) if (value !== null) data[row] = indexOf(value);
  return vector(type, values, { data, dictionary });
}

/** Builds a vector of lists or maps: the items of all values, one after the other, with their offsets. */
export function listData<Item>(
  type: List | Map_,
  values: Values,
  itemsOf: (value: DuckDBValue) => readonly Item[],
  child: (items: readonly Item[]) => Data,
): Data {
  const lists = values.map((value) => (value === null ? null : itemsOf(value)));
  const valueOffsets = offsets(lists, (items) => items.length);
  return vector(type, values, { valueOffsets, child: child(lists.flatMap((items) => items ?? [])) });
}

/** Builds a vector of arrays of one length. A null has items as well, because such a vector has no offsets. */
export function arrayData(
  type: FixedSizeList,
  values: Values,
  itemsOf: (value: DuckDBValue) => Values,
  child: (items: Values) => Data,
): Data {
  const none = Array.from({ length: type.listSize }, () => null);
  return vector(type, values, { child: child(values.flatMap((value) => (value === null ? none : itemsOf(value)))) });
}

/** Builds a vector of structs from the vectors of their members. */
export function structData(type: Struct, values: readonly unknown[], children: readonly Data[]): Data {
  return vector(type, values, { children });
}

function offsets<Piece>(pieces: readonly (Piece | null)[], lengthOf: (piece: Piece) => number): Int32Array {
  const ends = new Int32Array(pieces.length + 1);
  for (const [row, piece] of pieces.entries())
    ends[row + 1] = (ends[row] ?? 0) + (piece === null ? 0 : lengthOf(piece));
  return ends;
}

/** Creates a vector from its buffers, and adds the bitmap of nulls. */
function vector(type: DataType, values: readonly unknown[], buffers: object): Data {
  const nullCount = values.reduce<number>((count, value) => (value === null ? count + 1 : count), 0);
  const nullBitmap = nullCount === 0 ? undefined : bits(values, (value) => value !== null);
  // The overloads of `makeData` differ by type; each caller passes the buffers of its type.
  return makeData({ type, length: values.length, nullCount, nullBitmap, ...buffers } as Parameters<typeof makeData>[0]);
}

function bits<T>(values: readonly T[], isSet: (value: T) => boolean): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(values.length / 8));
  for (const [row, value] of values.entries())
    if (isSet(value)) bitmap[row >> 3] = (bitmap[row >> 3] ?? 0) | (1 << (row & 7));
  return bitmap;
}
