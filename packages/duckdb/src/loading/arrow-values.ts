import { isUtf8 } from "node:buffer";
import {
  type DuckDBDecimalType,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import { type Batch, type DataType, DateUnit, IntervalUnit, TimeUnit, Type } from "@uwdata/flechette";

/** Error for a value that the type of the engine cannot hold. */
export class ArrowValueError extends Error {}

/** Array in which values are passed to the engine, with the number of its elements for each value. */
export interface Layout {
  readonly create: (length: number) => ArrayBufferView<ArrayBuffer>;
  /** Sets the value of a row of the batch as the one at an index. */
  readonly set: (target: never, index: number, batch: Batch<unknown>, row: number) => void;
}

type BigInts = BigInt64Array<ArrayBuffer>;

/** Returns the conversion of values of fixed length, or undefined for other types. */
export function fixedLayout(type: DataType, engine: DuckDBType): Layout | undefined {
  switch (type.typeId) {
    case Type.Null:
      return numbers(Int32Array, () => 0);
    case Type.Bool:
      return numbers(Uint8Array, ({ values }, row) => (Number(values[row >> 3]) >> (row & 7)) & 1);
    case Type.Int:
      return type.bitWidth === 64
        ? bigInts(({ values }, row) => BigInt.asIntN(64, BigInt(values[row] ?? 0)))
        : numbers(type.values as Int32ArrayConstructor, ({ values }, row) => Number(values[row]));
    case Type.Float:
      if (type.precision === 0) return numbers(Float32Array, (batch, row) => Number(batch.value(row)));
      return numbers(type.values as Float64ArrayConstructor, ({ values }, row) => Number(values[row]));
    case Type.Decimal:
      return decimals(type.bitWidth, engine as DuckDBDecimalType);
    case Type.Date:
      return numbers(Int32Array, ({ values }, row) => dateOf(BigInt(values[row] ?? 0), type.unit));
    case Type.Time:
      return bigInts(({ values }, row) => timeOf(BigInt(values[row] ?? 0), type.unit));
    case Type.Timestamp:
      return bigInts(({ values }, row) => timestampOf(BigInt(values[row] ?? 0), type.unit, engine));
    case Type.Duration:
      return intervals(({ values }, row) => [0, 0, microsOf(BigInt(values[row] ?? 0), type.unit)]);
    case Type.Interval:
      return intervals((batch, row) => intervalOf(batch, row, type.unit));
    case Type.FixedSizeBinary:
      return engine.typeId === Id.UUID ? uuids(type.stride) : undefined;
    default:
      return undefined;
  }
}

/** Returns the bytes of a text or a binary value. */
export function bytesAt(batch: Batch<unknown>, row: number): Uint8Array {
  const { type, values, offsets } = batch;
  const bytes = values as Uint8Array;
  switch (type.typeId) {
    case Type.Utf8View:
    case Type.BinaryView:
      return (batch as Batch<unknown> & { view(row: number): Uint8Array }).view(row);
    case Type.FixedSizeBinary:
      return bytes.subarray(row * type.stride, (row + 1) * type.stride);
    default: {
      const [start, end] = [Number(offsets[row]), Number(offsets[row + 1])];
      if (start < 0 || end < start || end > bytes.length)
        throw new ArrowValueError("an offset outside of the bytes of its values");
      return bytes.subarray(start, end);
    }
  }
}

/** Returns the bytes of a text. @throws {ArrowValueError} if they are not UTF-8 */
export function textAt(batch: Batch<unknown>, row: number): Uint8Array {
  const bytes = bytesAt(batch, row);
  if (!isUtf8(bytes)) throw new ArrowValueError("a text that is not UTF-8");
  return bytes;
}

interface NumberArray {
  new (length: number): ArrayBufferView<ArrayBuffer> & { [index: number]: number };
}

function numbers(Numbers: NumberArray, value: (batch: Batch<unknown>, row: number) => number): Layout {
  return {
    create: (length) => new Numbers(length),
    set(target: InstanceType<NumberArray>, index, batch, row) {
      target[index] = value(batch, row);
    },
  };
}

function bigInts(value: (batch: Batch<unknown>, row: number) => bigint, size = 1): Layout {
  return {
    create: (length) => new BigInt64Array(length * size),
    set(target: BigInts, index, batch, row) {
      const number = value(batch, row);
      target[index * size] = BigInt.asIntN(64, number);
      if (size === 2) target[index * 2 + 1] = BigInt.asIntN(64, number >> 64n);
    },
  };
}

function decimals(bits: number, { width }: DuckDBDecimalType): Layout {
  const limit = 10n ** BigInt(width);
  const words = bits / 64;
  const value = ({ values }: Batch<unknown>, row: number): bigint => {
    let unscaled = BigInt(values[bits === 32 ? row : (row + 1) * words - 1] ?? 0);
    if (bits > 32) unscaled = BigInt.asIntN(64, unscaled);
    for (let word = words - 2; word >= 0; word -= 1)
      unscaled = (unscaled << 64n) | BigInt.asUintN(64, BigInt(values[row * words + word] ?? 0));
    if (unscaled >= limit || unscaled <= -limit) throw new ArrowValueError(`a decimal of more than ${width} digits`);
    return unscaled;
  };
  if (width <= 4) return numbers(Int16Array, (batch, row) => Number(value(batch, row)));
  if (width <= 9) return numbers(Int32Array, (batch, row) => Number(value(batch, row)));
  return bigInts(value, width <= 18 ? 1 : 2);
}

/** The engine stores a UUID as a number of 128 bits whose highest bit is inverted. */
function uuids(stride: number): Layout {
  if (stride !== 16) throw new TypeError(`UUIDs of ${stride} bytes`);
  return bigInts(({ values }, row) => {
    const [bytes] = [values as Uint8Array];
    const view = new DataView(bytes.buffer, bytes.byteOffset + row * 16, 16);
    return BigInt.asIntN(128, ((view.getBigUint64(0) ^ (1n << 63n)) << 64n) | view.getBigUint64(8));
  }, 2);
}

function intervals(
  value: (batch: Batch<unknown>, row: number) => readonly [months: number, days: number, micros: bigint],
): Layout {
  return {
    create: (length) => new BigInt64Array(length * 2),
    set(target: BigInts, index, batch, row) {
      const [months, days, micros] = value(batch, row);
      target[index * 2] = BigInt.asIntN(64, (BigInt(days) << 32n) | BigInt(months >>> 0));
      target[index * 2 + 1] = micros;
    },
  };
}

function intervalOf(batch: Batch<unknown>, row: number, unit: number): readonly [number, number, bigint] {
  const { buffer, byteOffset } = batch.values;
  const view = new DataView(buffer, byteOffset);
  if (unit === IntervalUnit.YEAR_MONTH) return [view.getInt32(row * 4, true), 0, 0n];
  if (unit === IntervalUnit.DAY_TIME)
    return [0, view.getInt32(row * 8, true), BigInt(view.getInt32(row * 8 + 4, true)) * 1_000n];
  const micros = microsOf(view.getBigInt64(row * 16 + 8, true), TimeUnit.NANOSECOND);
  return [view.getInt32(row * 16, true), view.getInt32(row * 16 + 4, true), micros];
}

/** Units of time for a second. */
const perSecond: Readonly<Record<number, bigint>> = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1_000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
};

function quotient(value: bigint, unit: bigint): bigint {
  if (value % unit !== 0n) throw new ArrowValueError(`a value that is not a multiple of ${unit}`);
  return value / unit;
}

function microsOf(value: bigint, unit: number): bigint {
  const units = perSecond[unit] ?? 1n;
  const micros = units > 1_000_000n ? quotient(value, units / 1_000_000n) : value * (1_000_000n / units);
  if (micros !== BigInt.asIntN(64, micros)) throw new ArrowValueError("a time beyond the range of the engine");
  return micros;
}

function dateOf(value: bigint, unit: number): number {
  const days = Number(unit === DateUnit.DAY ? value : quotient(value, 86_400_000n));
  if (Math.abs(days) > 2_147_483_647) throw new ArrowValueError("a date beyond the range of the engine");
  return days;
}

function timeOf(value: bigint, unit: number): bigint {
  const units = perSecond[unit] ?? 1n;
  if (value < 0n || value > 86_400n * units) throw new ArrowValueError("a time outside of a day");
  return unit === TimeUnit.NANOSECOND ? value : microsOf(value, unit);
}

function timestampOf(value: bigint, unit: number, engine: DuckDBType): bigint {
  if (engine.typeId === Id.TIMESTAMP_NS) {
    const { Min, NegInf } = DuckDBTimestampNanosecondsValue;
    if (value < Min.nanos && value !== NegInf.nanos) throw new ArrowValueError("a time beyond the range of the engine");
    return value;
  }
  const micros = unit === TimeUnit.NANOSECOND ? value / 1_000n : microsOf(value, unit);
  const { Min, NegInf } = DuckDBTimestampValue;
  if (micros < Min.micros && micros !== NegInf.micros)
    throw new ArrowValueError("a time beyond the range of the engine");
  return micros;
}
