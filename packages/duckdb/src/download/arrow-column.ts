import {
  type DuckDBArrayType,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalType,
  type DuckDBDecimalValue,
  type DuckDBEnumType,
  type DuckDBListType,
  type DuckDBListValue,
  type DuckDBMapEntry,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBStructType,
  type DuckDBStructValue,
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
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Map_,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import * as arrow from "./arrow-data.ts";

type Values = readonly DuckDBValue[];

/** Arrow type of a column, and the conversion of its values. */
export interface ArrowColumn {
  readonly type: DataType;
  /** Converts values of the engine to a vector. */
  data(values: Values): Data;
}

const encoder = new TextEncoder();

/**
 * Returns the Arrow form of a column. Types that Arrow lacks, such as UUID and JSON, are text. TIME_NS and INTERVAL are
 * text, too, because pandas and polars refuse files with Arrow's types for them.
 * @param type Type of the column in the statement.
 * @param stored Type of the column in the file. `typeId` determines the class, so each `as` in this file is correct.
 */
export function arrowColumn(type: DuckDBType, stored: DuckDBType): ArrowColumn {
  switch (type.typeId) {
    case Id.BOOLEAN:
      return { type: new Bool(), data: arrow.booleanData };
    case Id.TINYINT:
      return numbers(new Int8(), Int8Array);
    case Id.SMALLINT:
      return numbers(new Int16(), Int16Array);
    case Id.INTEGER:
      return numbers(new Int32(), Int32Array);
    case Id.UTINYINT:
      return numbers(new Uint8(), Uint8Array);
    case Id.USMALLINT:
      return numbers(new Uint16(), Uint16Array);
    case Id.UINTEGER:
      return numbers(new Uint32(), Uint32Array);
    case Id.FLOAT:
      return numbers(new Float32(), Float32Array);
    case Id.DOUBLE:
      return numbers(new Float64(), Float64Array);
    case Id.DATE:
      return numbers(new DateDay(), Int32Array, (value) => (value as DuckDBDateValue).days);
    case Id.BIGINT:
      return bigInts(new Int64(), (value) => value as bigint);
    case Id.UBIGINT:
      return bigInts(new Uint64(), (value) => value as bigint, BigUint64Array);
    case Id.TIME:
      return bigInts(new TimeMicrosecond(), (value) => (value as DuckDBTimeValue).micros);
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
      return bigInts(new TimestampMicrosecond(), micros);
    case Id.TIMESTAMP_TZ:
      return bigInts(new TimestampMicrosecond("UTC"), micros);
    case Id.TIMESTAMP_NS:
      return bigInts(new TimestampNanosecond(), (value) => (value as { nanos: bigint }).nanos);
    case Id.HUGEINT:
    case Id.UHUGEINT:
    case Id.BIGNUM:
    case Id.DECIMAL:
      return stored.typeId === Id.DECIMAL ? decimals(stored as DuckDBDecimalType) : texts();
    case Id.BLOB:
      return bytes(new Binary(), (value) => (value as DuckDBBlobValue).bytes);
    case Id.ENUM:
      return enums(type as DuckDBEnumType);
    case Id.LIST:
      return lists(arrowColumn((type as DuckDBListType).valueType, (stored as DuckDBListType).valueType));
    case Id.ARRAY: {
      const { valueType, length } = type as DuckDBArrayType;
      return arrays(arrowColumn(valueType, (stored as DuckDBListType).valueType), length); // Parquet has no arrays: the file has a list
    }
    case Id.STRUCT:
      return structs(type as DuckDBStructType, stored as DuckDBStructType);
    case Id.MAP:
      return maps(type as DuckDBMapType, stored as DuckDBMapType);
    default:
      return texts();
  }
}

const micros = (value: DuckDBValue): bigint => (value as { micros: bigint }).micros;
const itemsOf = (value: DuckDBValue): Values => (value as DuckDBListValue | DuckDBArrayValue).items;

interface NumberArray {
  new (length: number): Parameters<typeof arrow.numberData>[2];
}

function numbers(type: DataType, Numbers: NumberArray, toNumber: (value: DuckDBValue) => number = Number): ArrowColumn {
  return { type, data: (values) => arrow.numberData(type, values, new Numbers(values.length), toNumber) };
}

function bigInts(
  type: DataType,
  toBigInt: (value: DuckDBValue) => bigint,
  BigInts: BigInt64ArrayConstructor | BigUint64ArrayConstructor = BigInt64Array,
): ArrowColumn {
  return { type, data: (values) => arrow.bigIntData(type, values, new BigInts(values.length), toBigInt) };
}

function decimals({ scale, width }: DuckDBDecimalType): ArrowColumn {
  const type = new Decimal(scale, width, 128);
  return { type, data: (values) => arrow.decimalData(type, values, (value) => (value as DuckDBDecimalValue).value) };
}

function texts(): ArrowColumn {
  return bytes(new Utf8(), (value) => encoder.encode(String(value)));
}

function bytes(type: Utf8 | Binary, toBytes: (value: DuckDBValue) => Uint8Array): ArrowColumn {
  return { type, data: (values) => arrow.byteData(type, values, toBytes) };
}

function enums({ values: words }: DuckDBEnumType): ArrowColumn {
  const type = new Dictionary(new Utf8(), new Int32());
  const dictionary = vectorFromArray(words, new Utf8());
  const indexes = new Map(words.map((word, index) => [word, index]));
  const indexOf = (value: DuckDBValue): number => {
    const index = indexes.get(String(value));
    if (index === undefined) throw new Error(`Not a value of the ENUM: ${String(value)}`);
    return index;
  };
  return { type, data: (values) => arrow.dictionaryData(type, values, dictionary, indexOf) };
}

function lists(item: ArrowColumn): ArrowColumn {
  const type = new List(new Field("item", item.type, true));
  return { type, data: (values) => arrow.listData(type, values, itemsOf, item.data) };
}

function arrays(item: ArrowColumn, length: number): ArrowColumn {
  const type = new FixedSizeList(length, new Field("item", item.type, true));
  return { type, data: (values) => arrow.arrayData(type, values, itemsOf, item.data) };
}

function structs({ entryTypes }: DuckDBStructType, stored: DuckDBStructType): ArrowColumn {
  const names = stored.entryNames; // members of a row value get names when it is stored
  const members = entryTypes.map((entry, index) => arrowColumn(entry, stored.entryTypes[index] ?? entry));
  const type = new Struct(members.map((member, index) => new Field(names[index] ?? "", member.type, true)));
  return {
    type,
    data(values) {
      const children = members.map(({ data }, index) =>
        data(values.map((value) => (value === null ? null : memberOf(value, names[index] ?? "")))),
      );
      return arrow.structData(type, values, children);
    },
  };
}

function memberOf(value: DuckDBValue, name: string): DuckDBValue {
  return (value as DuckDBStructValue).entries[name] ?? null;
}

function maps(type: DuckDBMapType, stored: DuckDBMapType): ArrowColumn {
  const key = arrowColumn(type.keyType, stored.keyType);
  const value = arrowColumn(type.valueType, stored.valueType);
  const entry = new Struct([new Field("key", key.type, false), new Field("value", value.type, true)]);
  const map = new Map_(new Field("entries", entry, false));
  const entries = (items: readonly DuckDBMapEntry[]): Data =>
    arrow.structData(entry, items, [
      key.data(items.map((item) => item.key)),
      value.data(items.map((item) => item.value)),
    ]);
  const entriesOf = (each: DuckDBValue): readonly DuckDBMapEntry[] => (each as DuckDBMapValue).entries;
  return { type: map, data: (values) => arrow.listData(map, values, entriesOf, entries) };
}
