import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  SQLNULL,
  VARCHAR,
} from "@duckdb/node-api";

/** A value to bind, with the type that the engine would otherwise guess: wider than it is. */
export interface EngineValue {
  readonly value: DuckDBValue;
  readonly type: DuckDBType;
}

/** How the engine gets a JSON scalar. Whole numbers are integers, so that they fit `LIMIT`, `range` and row numbers. */
export function engineValue(value: unknown): EngineValue {
  switch (typeof value) {
    case "string":
      return { value, type: VARCHAR };
    case "boolean":
      return { value, type: BOOLEAN };
    case "number":
      return Number.isSafeInteger(value) ? { value: BigInt(value), type: BIGINT } : { value, type: DOUBLE };
    default:
      return { value: null, type: SQLNULL };
  }
}

/** How the engine gets scalars of one JSON type as a list. */
export function engineList(values: readonly (string | number | boolean)[]): EngineValue {
  const unlikeInteger = values.find((value) => !Number.isSafeInteger(value));
  if (unlikeInteger === undefined)
    return { value: listValue(values.map((value) => BigInt(value))), type: LIST(BIGINT) };
  return { value: listValue(values), type: LIST(engineValue(unlikeInteger).type) };
}
