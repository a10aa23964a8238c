import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DOUBLE,
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBUnionType,
  FLOAT,
  INTEGER,
  INTERVAL,
  SMALLINT,
  TIME,
  TIME_NS,
  TIMESTAMP,
  TIMESTAMP_NS,
  TIMESTAMPTZ,
  TINYINT,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  UUID,
  VARCHAR,
} from "@duckdb/node-api";
import { type DataType, type Field, TimeUnit, Type } from "@uwdata/flechette";

type Nested = Field["type"] & { readonly children: readonly Field[] };

const integers: Readonly<Record<string, DuckDBType>> = {
  i8: TINYINT,
  i16: SMALLINT,
  i32: INTEGER,
  i64: BIGINT,
  u8: UTINYINT,
  u16: USMALLINT,
  u32: UINTEGER,
  u64: UBIGINT,
};

/** Longest array of the engine. */
const maxArray = 100_000;

/**
 * Returns the type of the engine that holds the values of a type of Arrow exactly; nanoseconds with a time zone are cut.
 * A type of an extension is the type of its storage, except for UUIDs.
 * @throws {TypeError} with a phrase for a type that the engine lacks
 */
export function engineType({ type, metadata }: Field): DuckDBType {
  switch (type.typeId) {
    case Type.Null:
      return INTEGER; // as for a column of NULLs of a statement
    case Type.Bool:
      return BOOLEAN;
    case Type.Int:
      return integers[`${type.signed ? "i" : "u"}${type.bitWidth}`] as DuckDBType;
    case Type.Float:
      return type.precision === 2 ? DOUBLE : FLOAT;
    case Type.Decimal:
      return decimalType(type);
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return VARCHAR;
    case Type.FixedSizeBinary:
      return metadata?.get("ARROW:extension:name") === "arrow.uuid" ? UUID : BLOB;
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
      return BLOB;
    case Type.Date:
      return DATE;
    case Type.Time:
      return type.unit === TimeUnit.NANOSECOND ? TIME_NS : TIME;
    case Type.Timestamp:
      if (type.timezone !== null) return TIMESTAMPTZ;
      return type.unit === TimeUnit.NANOSECOND ? TIMESTAMP_NS : TIMESTAMP;
    case Type.Interval:
    case Type.Duration:
      return INTERVAL;
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
      return new DuckDBListType(engineType(type.children[0]));
    case Type.FixedSizeList:
      if (type.stride < 1 || type.stride > maxArray) throw new TypeError(`lists of ${type.stride} items`);
      return new DuckDBArrayType(engineType(memberAt(type, 0)), type.stride);
    case Type.Struct:
      return new DuckDBStructType(memberNames(type), type.children.map(engineType));
    case Type.Map: {
      const entry = type.children[0].type as Nested;
      return new DuckDBMapType(engineType(memberAt(entry, 0)), engineType(memberAt(entry, 1)));
    }
    case Type.Union:
      return new DuckDBUnionType(memberNames(type), type.children.map(engineType));
    case Type.Dictionary:
      return engineType({ name: "", type: type.dictionary, nullable: true, metadata });
    case Type.RunEndEncoded:
      return engineType(type.children[1]);
    default:
      throw new TypeError(`the type ${typeName(type)}`);
  }
}

/** Returns true for a type with values of nanoseconds and a time zone, of which the engine keeps the microseconds. */
export function isCut(type: DataType): boolean {
  if (type.typeId === Type.Timestamp) return type.timezone !== null && type.unit === TimeUnit.NANOSECOND;
  if (type.typeId === Type.Dictionary) return isCut(type.dictionary);
  return "children" in type && type.children.some((child) => isCut(child.type));
}

function memberAt({ children }: { readonly children: readonly Field[] }, index: number): Field {
  const member = children[index];
  if (member === undefined) throw new TypeError("a type without members");
  return member;
}

function memberNames({ children }: { readonly children: readonly Field[] }): string[] {
  const names = children.map(({ name }) => name);
  const different = new Set(names.map((name) => name.toLowerCase()));
  if (names.length === 0) throw new TypeError("a struct without members");
  if (different.size < names.length || different.has(""))
    throw new TypeError(`members without different names (${names.join(", ")})`);
  return names;
}

function decimalType({ precision, scale }: { readonly precision: number; readonly scale: number }): DuckDBType {
  const width = Math.max(precision, scale);
  if (width > 38) throw new TypeError(`decimals of ${width} digits`);
  if (scale < 0) throw new TypeError(`decimals of the scale ${scale}`);
  return new DuckDBDecimalType(width, scale);
}

function typeName({ typeId }: DataType): string {
  return Object.entries(Type).find(([, id]) => id === typeId)?.[0] ?? String(typeId);
}
