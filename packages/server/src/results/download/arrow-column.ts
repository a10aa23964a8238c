import {
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalType,
  type DuckDBDecimalValue,
  type DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from "apache-arrow";
import { cellWriter } from "../reader/cell.ts";

/** How a column travels in Arrow. What Arrow has no like of is text, nested values as JSON. */
export interface ArrowColumn {
  readonly type: DataType;
  /** What is selected of the stored column. */
  cell(column: string): string;
  data(values: readonly DuckDBValue[]): Data;
}

type Numbers =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;
type BigInts = BigInt64Array | BigUint64Array;

const asIs = (column: string): string => column;

/** The typeId makes each `as` below true. */
export function arrowColumn(type: DuckDBType): ArrowColumn {
  switch (type.typeId) {
    case Id.BOOLEAN:
      return { type: new Bool(), cell: asIs, data: booleans };
    case Id.TINYINT:
      return numbers(new Int8(), (length) => new Int8Array(length), Number);
    case Id.SMALLINT:
      return numbers(new Int16(), (length) => new Int16Array(length), Number);
    case Id.INTEGER:
      return numbers(new Int32(), (length) => new Int32Array(length), Number);
    case Id.UTINYINT:
      return numbers(new Uint8(), (length) => new Uint8Array(length), Number);
    case Id.USMALLINT:
      return numbers(new Uint16(), (length) => new Uint16Array(length), Number);
    case Id.UINTEGER:
      return numbers(new Uint32(), (length) => new Uint32Array(length), Number);
    case Id.FLOAT:
      return numbers(new Float32(), (length) => new Float32Array(length), Number);
    case Id.DOUBLE:
      return numbers(new Float64(), (length) => new Float64Array(length), Number);
    case Id.DATE:
      return numbers(
        new DateDay(),
        (length) => new Int32Array(length),
        (value) => (value as DuckDBDateValue).days,
      );
    case Id.BIGINT:
      return bigInts(new Int64(), (value) => value as bigint);
    case Id.UBIGINT:
      return bigInts(
        new Uint64(),
        (value) => value as bigint,
        asIs,
        (length) => new BigUint64Array(length),
      );
    case Id.TIME:
      return bigInts(new TimeMicrosecond(), (value) => (value as DuckDBTimeValue).micros);
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
      return bigInts(new TimestampMicrosecond(), micros, (column) => `CAST(${column} AS TIMESTAMP)`);
    case Id.TIMESTAMP_TZ:
      return bigInts(new TimestampMicrosecond("UTC"), micros, (column) => `CAST(${column} AS TIMESTAMP)`);
    case Id.TIMESTAMP_NS:
      return bigInts(new TimestampNanosecond(), (value) => (value as { nanos: bigint }).nanos);
    case Id.DECIMAL:
      return decimals(type as DuckDBDecimalType);
    case Id.BLOB:
      return { type: new Binary(), cell: asIs, data: (values) => bytes(new Binary(), values.map(blobOf)) };
    default:
      return texts(type);
  }
}

const micros = (value: DuckDBValue): bigint => (value as { micros: bigint }).micros;
const blobOf = (value: DuckDBValue): Uint8Array | null => (value === null ? null : (value as DuckDBBlobValue).bytes);

function numbers(
  type: DataType,
  create: (length: number) => Numbers,
  toNumber: (value: DuckDBValue) => number,
): ArrowColumn {
  return {
    type,
    cell: asIs,
    data(values) {
      const data = create(values.length);
      for (const [row, value] of values.entries()) if (value !== null) data[row] = toNumber(value);
      return made(type, values, { data });
    },
  };
}

function bigInts(
  type: DataType,
  toBigInt: (value: DuckDBValue) => bigint,
  cell = asIs,
  create: (length: number) => BigInts = (length) => new BigInt64Array(length),
): ArrowColumn {
  return {
    type,
    cell,
    data(values) {
      const data = create(values.length);
      for (const [row, value] of values.entries()) if (value !== null) data[row] = toBigInt(value);
      return made(type, values, { data });
    },
  };
}

/** 128 bits, the lower half first. */
function decimals({ scale, width }: DuckDBDecimalType): ArrowColumn {
  const type = new Decimal(scale, width, 128);
  return {
    type,
    cell: asIs,
    data(values) {
      const halves = new BigInt64Array(values.length * 2);
      for (const [row, value] of values.entries()) {
        if (value === null) continue;
        const unscaled = (value as DuckDBDecimalValue).value;
        halves[row * 2] = BigInt.asIntN(64, unscaled);
        halves[row * 2 + 1] = unscaled >> 64n;
      }
      return made(type, values, { data: new Uint32Array(halves.buffer) });
    },
  };
}

function booleans(values: readonly DuckDBValue[]): Data {
  return made(new Bool(), values, { data: bits(values, (value) => value === true) });
}

function texts(type: DuckDBType): ArrowColumn {
  const write = cellWriter(type);
  const encoder = new TextEncoder();
  const text = (value: DuckDBValue): string => {
    const json = write(value);
    return json.startsWith('"') ? String(JSON.parse(json)) : json;
  };
  const plain = type.typeId === Id.VARCHAR && type.alias === undefined;
  const toBytes = (value: DuckDBValue): Uint8Array | null =>
    value === null ? null : encoder.encode(plain ? String(value) : text(value));
  return { type: new Utf8(), cell: asIs, data: (values) => bytes(new Utf8(), values.map(toBytes)) };
}

function bytes(type: Utf8 | Binary, values: readonly (Uint8Array | null)[]): Data {
  const valueOffsets = new Int32Array(values.length + 1);
  for (const [row, value] of values.entries()) valueOffsets[row + 1] = (valueOffsets[row] ?? 0) + (value?.length ?? 0);
  const data = new Uint8Array(valueOffsets[values.length] ?? 0);
  for (const [row, value] of values.entries()) if (value !== null) data.set(value, valueOffsets[row]);
  return made(type, values, { data, valueOffsets });
}

function made(type: DataType, values: readonly unknown[], buffers: object): Data {
  const nullCount = values.reduce<number>((count, value) => (value === null ? count + 1 : count), 0);
  const nullBitmap = nullCount === 0 ? undefined : bits(values, (value) => value !== null);
  // Each caller gives the buffers of its type, which the overloads of this function tell apart.
  return makeData({ type, length: values.length, nullCount, nullBitmap, ...buffers } as Parameters<typeof makeData>[0]);
}

function bits<T>(values: readonly T[], isSet: (value: T) => boolean): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(values.length / 8));
  for (const [row, value] of values.entries())
    if (isSet(value)) bitmap[row >> 3] = (bitmap[row >> 3] ?? 0) | (1 << (row & 7));
  return bitmap;
}
