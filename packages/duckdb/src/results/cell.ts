import {
  type DuckDBArrayValue,
  DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBListValue,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBType,
  type DuckDBValue,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import { isJson } from "../engine/column-type.ts";
import { dateText, timestampText } from "./date-text.ts";
import { doubleText, jsonText, numberText } from "./number-text.ts";

/** Returns the JSON text of one value of a column. */
export type CellWriter = (value: DuckDBValue) => string;

/**
 * Returns the writer of a column. The type is examined once for a column and not for each value.
 * @param type Type in the statement. Values have the form that `pageCell` selects. `typeId` determines the class of a
 * value, so each `as` in this file is correct.
 */
export function cellWriter(type: DuckDBType): CellWriter {
  const write = valueWriter(type);
  return (value) => (value === null ? "null" : write(value));
}

const quoted = (value: unknown): string => JSON.stringify(String(value));

function valueWriter(type: DuckDBType): CellWriter {
  if (isJson(type)) return (value) => jsonText(String(value));
  switch (type.typeId) {
    case Id.UNION:
    case Id.VARIANT:
      return (value) => jsonText(String(value));
    case Id.BOOLEAN:
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
      return String;
    case Id.BIGINT:
    case Id.UBIGINT:
    case Id.HUGEINT:
    case Id.UHUGEINT:
    case Id.BIGNUM:
    case Id.DECIMAL:
      return (value) => numberText(String(value));
    case Id.DOUBLE:
      return (value) => doubleCell(value as number);
    case Id.FLOAT:
      return (value) => floatCell(String(value));
    case Id.DATE:
      return (value) => JSON.stringify(dateText((value as DuckDBDateValue).days));
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_TZ:
      return (value) => JSON.stringify(timestampText((value as { micros: bigint }).micros, 1_000_000n));
    case Id.TIMESTAMP_NS:
      return (value) => JSON.stringify(timestampText((value as { nanos: bigint }).nanos, 1_000_000_000n));
    case Id.BLOB:
      return (value) =>
        value instanceof DuckDBBlobValue ? `"${Buffer.from(value.bytes).toString("base64")}"` : quoted(value);
    case Id.LIST:
    case Id.ARRAY: {
      const write = cellWriter((type as DuckDBType & { valueType: DuckDBType }).valueType);
      return (value) => `[${(value as DuckDBListValue | DuckDBArrayValue).items.map(write).join(",")}]`;
    }
    case Id.STRUCT:
      return structWriter(type as DuckDBStructType);
    case Id.MAP:
      return mapWriter(type as DuckDBMapType);
    default:
      return quoted;
  }
}

function doubleCell(value: number): string {
  return Number.isFinite(value) ? doubleText(value) : `"${value}"`;
}

const notFinite: Readonly<Record<string, string>> = {
  nan: '"NaN"',
  "-nan": '"NaN"', // such as inf - inf
  inf: '"Infinity"',
  "-inf": '"-Infinity"',
};

/** Writes a FLOAT, which `pageCell` selects as text of the engine. */
function floatCell(text: string): string {
  return notFinite[text] ?? text;
}

function structWriter({ entryNames, entryTypes }: DuckDBStructType): CellWriter {
  const writers = entryTypes.map(cellWriter);
  const keys = entryNames.map((name) => `${JSON.stringify(name)}:`);
  return (value) => {
    const { entries } = value as DuckDBStructValue;
    const members = keys.map((key, index) => `${key}${writers[index]?.(entries[entryNames[index] ?? ""] ?? null)}`);
    return `{${members.join(",")}}`;
  };
}

function mapWriter({ keyType, valueType }: DuckDBMapType): CellWriter {
  const writeKey = cellWriter(keyType);
  const writeValue = cellWriter(valueType);
  const member = (text: string): string => (text.startsWith('"') ? text : JSON.stringify(text));
  return (value) => {
    const { entries } = value as DuckDBMapValue;
    return `{${entries.map((entry) => `${member(writeKey(entry.key))}:${writeValue(entry.value)}`).join(",")}}`;
  };
}
