/** Flag `--json` of most commands: output for programs. */
export const jsonFlag = {
  json: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "Print the output as JSON, and an error as one JSON object on stderr.",
  },
} as const;

export interface JsonFlag {
  readonly json: boolean;
}

/** Returns the flag without its default, for commands whose settings have the default. */
export function withoutDefault<Flag extends { readonly default: string }>(flag: Flag) {
  const { default: _, ...rest } = flag;
  return { ...rest, optional: true } as const;
}

export function parseNumber(text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new SyntaxError("expected a number");
}

/** Parses a number of things. @throws {SyntaxError} The text is not a whole number from 1. */
export function parseCount(text: string): number {
  const count = parseNumber(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new SyntaxError("expected a whole number from 1");
}

/** Parses the name of a file. @throws {SyntaxError} The text is empty, as of a variable that is not set. */
export function parseFile(text: string): string {
  if (text !== "") return text;
  throw new SyntaxError("expected the name of a file");
}

/** Parses a name. @throws {SyntaxError} The text is empty, as of a variable that is not set. */
export function parseName(text: string): string {
  if (text !== "") return text;
  throw new SyntaxError("expected a name");
}

const longestTimerSeconds = 2_147_483;

/** Parses a number of seconds that a timer can wait. @throws {SyntaxError} The text is not a number above 0 and within the limit of timers. */
export function parseSeconds(text: string): number {
  const seconds = parseNumber(text);
  if (seconds > 0 && seconds <= longestTimerSeconds) return seconds;
  throw new SyntaxError(`expected more than 0 and at most ${longestTimerSeconds} seconds`);
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a time such as `90s`, `15m`, `1h` or `7d` to milliseconds; returns undefined for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}

/**
 * Parses a date such as `2027-01-31`, with or without a time, to milliseconds since 1970; returns NaN for any other
 * text. A bare number is no date: JavaScript takes 45 for the year 2045.
 */
export function parseDateMs(text: string): number {
  return /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Parses `key=value`. @throws {SyntaxError} */
export function parsePair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SyntaxError("expected key=value");
}

/** Flag that takes a pair and may be repeated. */
export const pairFlag = {
  kind: "parsed",
  parse: parsePair,
  optional: true,
  variadic: true,
  placeholder: "key=value",
} as const;

/** Parses a list: texts separated by commas, or a JSON array of texts. @throws {SyntaxError} */
export function parseList(text: string): readonly string[] {
  if (!text.startsWith("[")) return text.split(",").map((element) => element.trim());
  const list = parseJson(text);
  if (Array.isArray(list) && list.every((element) => typeof element === "string")) return list;
  throw new SyntaxError("expected texts separated by commas, or a JSON array of texts");
}

// TypeScript's library does not declare `JSON.rawJSON` and the third argument of a reviver yet.
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): number;
};

/** Parses JSON, and keeps the digits of numbers: one that JavaScript writes differently is a raw JSON object. */
export function parseJson(text: string): unknown {
  try {
    return parse(text, (_, value, { source = "" }) =>
      typeof value === "number" && String(value) !== source ? rawJSON(source) : value,
    );
  } catch {
    throw new SyntaxError("expected JSON");
  }
}

/** Matches an integer, and a decimal number without zeros at its ends, as engines print them. */
const plainNumber = /^-?(?:[1-9]\d*|(?:0|[1-9]\d*)\.\d*[1-9])$/;
/** Number of digits that the service binds. */
const maxDigits = 38;

/**
 * Parses a number, `true`, `false`, `null` or a quoted JSON string to its value; returns any other text as it is. A text is
 * a number only if the number is printed as the same text: `007`, `1.50` and `123e4567` are texts.
 */
export function parseScalar(text: string): string | number | boolean | null {
  const number = Number(text);
  if (Number.isFinite(number) && String(number) === text) return number;
  // A double would lose digits, but JSON keeps them.
  if (plainNumber.test(text) && text.replace(/\D/g, "").length <= maxDigits) return rawJSON(text);
  if (!/^("|true$|false$|null$)/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "boolean" || value === null ? value : text;
  } catch {
    return text;
  }
}

/** Parses a parameter of a statement: `name=value`. @throws {SyntaxError} */
export function parseParameter(text: string): readonly [string, string | number | boolean | null] {
  const [name, value] = parsePair(text);
  return [name, parseScalar(value)];
}
