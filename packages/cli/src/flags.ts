/** The flag of every command for output that programs read. */
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

/** The flag without its default, for commands whose settings have one. */
export function withoutDefault<Flag extends { readonly default: string }>(flag: Flag) {
  const { default: _, ...rest } = flag;
  return { ...rest, optional: true } as const;
}

export function parseNumber(text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new SyntaxError(`expected a number, received ${JSON.stringify(text)}`);
}

const longestTimerSeconds = 2_147_483;

/** A length of time that a timer can hold, in seconds. */
export function parseSeconds(text: string): number {
  const seconds = parseNumber(text);
  if (seconds > 0 && seconds <= longestTimerSeconds) return seconds;
  throw new SyntaxError(`expected at most ${longestTimerSeconds} seconds, received ${JSON.stringify(text)}`);
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a time such as `90s`, `15m`, `1h` or `7d`; undefined for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}

export function parsePair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SyntaxError(`expected key=value, received ${JSON.stringify(text)}`);
}

/** A flag that takes pairs and may be repeated. */
export const pairFlag = {
  kind: "parsed",
  parse: parsePair,
  optional: true,
  variadic: true,
  placeholder: "key=value",
} as const;

/** The elements of a list: texts with commas between them, or a JSON array. */
export function parseList(text: string): readonly string[] {
  if (!text.startsWith("[")) return text.split(",").map((element) => element.trim());
  const list = parseJson(text);
  if (Array.isArray(list) && list.every((element) => typeof element === "string")) return list;
  throw new SyntaxError(`expected texts with commas between them, received ${JSON.stringify(text)}`);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError(`expected JSON, received ${JSON.stringify(text)}`);
  }
}

/** A number, `true`, `false` or `null` is that; any other text is the text, and so is one in JSON's quotes. */
export function parseScalar(text: string): string | number | boolean | null {
  if (!/^(-?\d|"|true$|false$|null$)/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    // Digits that a double does not hold stay as they are typed.
    if (typeof value === "number") return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
    return typeof value === "string" || typeof value === "boolean" || value === null ? value : text;
  } catch {
    return text;
  }
}

/** A parameter as it is typed: `name=value`. */
export function parseParameter(text: string): readonly [string, string | number | boolean | null] {
  const [name, value] = parsePair(text);
  return [name, parseScalar(value)];
}
