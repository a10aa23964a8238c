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
import { exactNumberOf, isNegativeZero } from "@quern/query-run/record";

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

/** Returns the value of a number without an exponent: a decimal, an integer, or the DOUBLE -0.0. */
function exactValue(text: string): EngineValue {
  if (isNegativeZero(text)) return { value: -0, type: DOUBLE };
  const [whole = "", fraction = ""] = text.split(".");
  const digits = BigInt(whole + fraction);
  if (fraction !== "") {
    // A DECIMAL(38,38) has no digit before its point.
    const width = Math.max(text.replace(/^-?0\.|\D/g, "").length, fraction.length);
    return { value: new DuckDBDecimalValue(digits, width, fraction.length), type: DECIMAL(width, fraction.length) };
  }
  return { value: digits, type: BigInt.asIntN(64, digits) === digits ? BIGINT : HUGEINT };
}

/** Most digits of a DECIMAL. */
const maxDigits = 38;

/**
 * Converts a number that is no safe integer for a parameter of the type DECIMAL. The engine's own conversion of a DOUBLE has the
 * digits of the double: 0.1 becomes 0.10000000000000000719. Returns undefined for a number that no DECIMAL has.
 */
export function decimalValue(value: number): EngineValue | undefined {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const scale = fraction.length - Number(power);
  if (whole === "" || scale < 0 || scale > maxDigits) return undefined;
  if (scale === 0) return exactValue(sign + whole);
  const digits = `${whole}${fraction}`.padStart(scale + 1, "0");
  const text = `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return digits.replace(/^0/, "").length > maxDigits ? undefined : exactValue(text);
}

/** Converts scalars of one JSON type to a list. Numbers become integers if all of them are safe integers. */
export function engineList(values: readonly (string | number | boolean)[]): EngineValue {
  const nonInteger = values.find((value) => !Number.isSafeInteger(value));
  if (nonInteger === undefined) return { value: listValue(values.map((value) => BigInt(value))), type: LIST(BIGINT) };
  return { value: listValue(values), type: LIST(engineValue(nonInteger).type) };
}
