import { BIGINT, BOOLEAN, DOUBLE, type DuckDBType, type DuckDBValue, SQLNULL, VARCHAR } from "@duckdb/node-api";

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
