import {
  ARRAY,
  BIGINT,
  BIGNUM,
  BIT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBStructType,
  type DuckDBType,
  DuckDBUnionType,
  DuckDBVarCharType,
  ENUM,
  FLOAT,
  GEOMETRY,
  HUGEINT,
  INTEGER,
  INTERVAL,
  LIST,
  MAP,
  SMALLINT,
  SQLNULL,
  TIME,
  TIME_NS,
  TIMESTAMP,
  TIMESTAMP_MS,
  TIMESTAMP_NS,
  TIMESTAMP_S,
  TIMESTAMPTZ,
  TIMETZ,
  TINYINT,
  UBIGINT,
  UHUGEINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  UUID,
  VARCHAR,
  VARIANT,
} from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { engineTypeName } from "./column-type.ts";
import { isDecimalSize } from "./decimal-size.ts";

const simple: readonly DuckDBType[] = [
  BOOLEAN,
  TINYINT,
  SMALLINT,
  INTEGER,
  BIGINT,
  HUGEINT,
  UTINYINT,
  USMALLINT,
  UINTEGER,
  UBIGINT,
  UHUGEINT,
  BIGNUM,
  FLOAT,
  DOUBLE,
  VARCHAR,
  BLOB,
  BIT,
  UUID,
  GEOMETRY,
  VARIANT,
  SQLNULL,
  new DuckDBVarCharType("JSON"),
  DATE,
  TIME,
  TIME_NS,
  TIMETZ,
  TIMESTAMP,
  TIMESTAMP_S,
  TIMESTAMP_MS,
  TIMESTAMP_NS,
  TIMESTAMPTZ,
  INTERVAL,
];
const simpleTypes: ReadonlyMap<string, DuckDBType> = new Map(simple.map((type) => [engineTypeName(type), type]));

/** Longer names come first, because `TIME` is a prefix of `TIME WITH TIME ZONE`. */
const simpleNames = [...simpleTypes.keys()].sort((one, other) => other.length - one.length);

type Member = readonly [name: string, type: DuckDBType];

/** Maximum nesting of a type. */
const maxDepth = 100;

/**
 * Parses the notation of stored types, such as `STRUCT("id" BIGINT, "tags" VARCHAR[])`. The text itself never becomes
 * part of SQL: SQL is printed from the parsed type, so that a type name of another engine cannot inject SQL.
 * @throws {Error} if the text is not such a type
 */
export function parseStoredType(text: string): DuckDBType {
  let at = 0;

  const invalid = (): Error =>
    new Error(`Invalid stored type at character ${at + 1}: ${text}; write a DuckDB type such as DECIMAL(10,2)`);
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at += match[0].length;
    return match[1] ?? match[0];
  }
  function expected(pattern: RegExp): string {
    const found = take(pattern);
    if (found === undefined) throw invalid();
    return found;
  }
  function list<T>(item: () => T): T[] {
    const items: T[] = [];
    do items.push(item());
    while (take(/, ?/y) !== undefined);
    expected(/\)/y);
    return items;
  }
  const quotedText = (): string => expected(/'((?:[^']|'')*)'/y).replaceAll("''", "'");
  const member = (depth: number) => (): Member => {
    const name = expected(/"((?:[^"]|"")*)" /y).replaceAll('""', '"');
    return [name, type(depth)];
  };

  function base(depth: number): DuckDBType {
    if (take(/STRUCT\(/y) !== undefined) {
      const members = list(member(depth));
      return new DuckDBStructType(names(members), types(members));
    }
    if (take(/UNION\(/y) !== undefined) {
      const members = list(member(depth));
      return new DuckDBUnionType(names(members), types(members));
    }
    if (take(/ENUM\(/y) !== undefined) return ENUM(list(quotedText));
    if (take(/MAP\(/y) !== undefined) {
      const [key, value, ...rest] = list(() => type(depth));
      if (key === undefined || value === undefined || rest.length > 0) throw invalid();
      return MAP(key, value);
    }
    if (take(/DECIMAL\(/y) !== undefined) {
      const [width = 0, scale = 0, ...rest] = list(() => Number(expected(/\d{1,2}/y)));
      if (rest.length > 0 || !isDecimalSize(width, scale)) throw invalid();
      return DECIMAL(width, scale);
    }
    const name = simpleNames.find((each) => text.startsWith(each, at)) ?? "";
    const found = simpleTypes.get(name);
    if (found === undefined) throw invalid();
    at += name.length;
    return found;
  }

  function type(depth: number): DuckDBType {
    if (depth > maxDepth) throw invalid();
    let found = base(depth + 1);
    for (let length = take(/\[(\d{0,6})\]/y); length !== undefined; length = take(/\[(\d{0,6})\]/y))
      found = length === "" ? LIST(found) : ARRAY(found, Number(length));
    return found;
  }

  const found = type(0);
  if (at < text.length) throw invalid();
  return found;
}

// The members are pairs, because an object would sort integer names first.
const names = (members: readonly Member[]): string[] => members.map(([name]) => name);
const types = (members: readonly Member[]): DuckDBType[] => members.map(([, type]) => type);

/** Returns the type of a column's values. The Parquet file may store them in another form. */
export function storedType({ storedType: stored, engineType }: ResultColumn): DuckDBType {
  return parseStoredType(stored ?? engineType);
}

/** Returns the SQL name of the type of a column's values, printed from the parsed type. */
export function storedTypeName(column: ResultColumn): string {
  return engineTypeName(storedType(column));
}
