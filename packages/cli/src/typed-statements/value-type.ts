import { type EngineType, parseEngineType } from "./engine-type.ts";

/** Type of a value on a page: its text in TypeScript, and the expression of the function that checks a value. */
export interface ValueType {
  readonly text: string;
  readonly check: string;
}

interface Column {
  readonly type: string;
  readonly engineType: string;
  readonly nullable: boolean;
}

const string: ValueType = { text: "string", check: "isString" };
const number: ValueType = { text: "number", check: "isNumber" };
const boolean: ValueType = { text: "boolean", check: "isBoolean" };
const unknown: ValueType = { text: "unknown", check: "isAny" };
/** Integers beyond 2^53 - 1 are strings. */
const integer: ValueType = { text: "number | string", check: "isInteger" };
/** Decimals that a double cannot hold are strings. */
const decimal: ValueType = { text: "number | string", check: "isDecimal" };
const double: ValueType = { text: 'number | "NaN" | "Infinity" | "-Infinity"', check: "isDouble" };
const timestamp: ValueType = { text: "string", check: "isTimestamp" };

/** Digits of a decimal that a double always holds. */
const doubleDigits = 15;

const scalars: Readonly<Record<string, ValueType>> = {
  BOOLEAN: boolean,
  TINYINT: number,
  SMALLINT: number,
  INTEGER: number,
  UTINYINT: number,
  USMALLINT: number,
  UINTEGER: number,
  BIGINT: integer,
  UBIGINT: integer,
  HUGEINT: integer,
  UHUGEINT: integer,
  BIGNUM: integer,
  FLOAT: double,
  DOUBLE: double,
  DATE: { text: "string", check: "isDate" },
  TIMESTAMP: timestamp,
  TIMESTAMP_S: timestamp,
  TIMESTAMP_MS: timestamp,
  TIMESTAMP_NS: timestamp,
  "TIMESTAMP WITH TIME ZONE": timestamp,
  TIME: string,
  TIME_NS: string,
  "TIME WITH TIME ZONE": string,
  INTERVAL: string,
  VARCHAR: string,
  UUID: string,
  BLOB: string,
  BIT: string,
  GEOMETRY: string,
};

/** Types by the kind of a column, for engines whose types are not known. */
const kinds: Readonly<Record<string, ValueType>> = {
  string,
  number: decimal,
  date: string,
  boolean,
  array: { text: "readonly unknown[]", check: "listOf(isAny)" },
};

/** Returns the type of the values of a column as the client returns them. */
export function valueTypeOf({ type, engineType, nullable }: Column): ValueType {
  const parsed = parseEngineType(engineType);
  const value = (parsed && typeOf(parsed)) ?? kinds[type] ?? unknown;
  return nullable ? orNull(value) : value;
}

/** Returns undefined for a type that has no row in the tables above. */
function typeOf(type: EngineType, isText = false): ValueType | undefined {
  switch (type.kind) {
    case "scalar": {
      if (type.name === "DECIMAL") return (type.precision ?? Infinity) <= doubleDigits ? number : decimal;
      const known = Object.hasOwn(scalars, type.name) ? scalars[type.name] : undefined;
      return isText && known?.text === "string" ? string : known;
    }
    case "enum": {
      const words = type.words.map((word) => JSON.stringify(word));
      return { text: words.join(" | "), check: `oneOf(${words.join(", ")})` };
    }
    case "list": {
      const { text, check } = memberOf(type.element, isText);
      return { text: `readonly (${text})[]`, check: `listOf(${check})` };
    }
    case "map": {
      const { text, check } = memberOf(type.value, isText);
      return { text: `Readonly<Record<string, ${text}>>`, check: `mapOf(${check})` };
    }
    case "struct": {
      const members = type.members.map(([name, member]) => [name, memberOf(member, isText)] as const);
      return {
        text: `{ ${members.map(([name, { text }]) => `readonly ${memberName(name)}: ${text}`).join("; ")} }`,
        check: `objectOf([${members.map(([name, { check }]) => `[${JSON.stringify(name)}, ${check}]`).join(", ")}])`,
      };
    }
    case "union": {
      // Times in a union are text as the engine writes it.
      const members = type.members.map(([name, member]) => [name, memberOf(member, true)] as const);
      return {
        text: members.map(([name, { text }]) => `{ readonly ${memberName(name)}: ${text} }`).join(" | "),
        check: `unionOf([${members.map(([name, { check }]) => `[${JSON.stringify(name)}, ${check}]`).join(", ")}])`,
      };
    }
  }
}

function memberOf(type: EngineType, isText: boolean): ValueType {
  return orNull(typeOf(type, isText) ?? unknown);
}

function orNull(type: ValueType): ValueType {
  if (type === unknown) return type;
  return { text: `${type.text} | null`, check: `orNull(${type.check})` };
}

/** Returns the type that a parameter takes, in TypeScript. */
export function parameterType(engineType: string | null): string {
  const parsed = engineType === null ? undefined : parseEngineType(engineType);
  const type = parsed && typeOf(parsed);
  if (parsed?.kind === "enum") return `${type?.text} | null`;
  if (parsed?.kind !== "scalar" || type === undefined) return "string | number | boolean | null";
  if (type === boolean || type === string) return `${type.text} | null`;
  // Numbers beyond those of JavaScript are passed as text.
  return type.text === "string" ? "string | null" : "number | string | null";
}

/** Returns a name as it is written in a type: with quotes unless it is an identifier. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
