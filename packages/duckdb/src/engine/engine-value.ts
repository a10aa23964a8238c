import {
  BIGINT,
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  HUGEINT,
  LIST,
  listValue,
  SQLNULL,
  VARCHAR,
} from "@duckdb/node-api";
import { exactNumberOf } from "@quern/query-run/record";

/** Value to bind and its type. Without the type, the engine would infer a wider one. */
export interface EngineValue {
  readonly value: DuckDBValue;
  readonly type: DuckDBType;
}

/**
 * Converts a JSON scalar for the engine. A safe integer becomes a BIGINT, because some functions, such as `range`,
 * require an integer; any other number becomes a DOUBLE. A number that a double cannot hold becomes a BIGINT, a HUGEINT
 * or a DECIMAL.
 */
export function engineValue(value: unknown): EngineValue {
  switch (typeof value) {
    case "string":
      return { value, type: VARCHAR };
    case "boolean":
      return { value, type: BOOLEAN };
    case "number":
      return Number.isSafeInteger(value) ? { value: BigInt(value), type: BIGINT } : { value, type: DOUBLE };
    default: {
      const exact = exactNumberOf(value);
      return exact === undefined ? { value: null, type: SQLNULL } : exactValue(exact);
    }
  }
}

function exactValue(text: string): EngineValue {
  const [whole = "", fraction = ""] = text.split(".");
  const digits = BigInt(whole + fraction);
  if (fraction !== "") {
    const width = text.replace(/\D/g, "").length;
    return { value: new DuckDBDecimalValue(digits, width, fraction.length), type: DECIMAL(width, fraction.length) };
  }
  return { value: digits, type: BigInt.asIntN(64, digits) === digits ? BIGINT : HUGEINT };
}

/** Converts scalars of one JSON type to a list. Numbers become integers if all of them are safe integers. */
export function engineList(values: readonly (string | number | boolean)[]): EngineValue {
  const nonInteger = values.find((value) => !Number.isSafeInteger(value));
  if (nonInteger === undefined) return { value: listValue(values.map((value) => BigInt(value))), type: LIST(BIGINT) };
  return { value: listValue(values), type: LIST(engineValue(nonInteger).type) };
}
