import {
  type DuckDBArrayType,
  DuckDBBlobValue,
  DuckDBDateValue,
  type DuckDBDecimalType,
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBStructType,
  DuckDBTimeNSValue,
  DuckDBTimeValue,
  type DuckDBType,
  type DuckDBUnionType,
  type DuckDBValue,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";

/**
 * Value without its form: equal values have equal plain values in each form, and others have not. Lists and structs are
 * arrays, maps are sorted entries, and other values are texts.
 */
export type Plain = string | null | readonly Plain[];

/** Number of JSON, with its digits. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): unknown {
    return rawJSON(this.text);
  }
  toString(): string {
    return this.text;
  }
}

// TypeScript's library does not declare `JSON.rawJSON` and the third argument of a reviver yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** Parses JSON. A number becomes a {@link NumberText}. */
export function parseJson(text: string) {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === "number" ? new NumberText(context?.source ?? "") : value,
  );
}

/** `native` for values of the engine's package and of Arrow, `json` for those of {@link parseJson}. */
export type Form = "native" | "json";

const isJson = (type: DuckDBType): boolean =>
  type.alias === "JSON" || type.typeId === Id.VARIANT || type.typeId === Id.UNION;

/** Returns the plain value of a value. `type` is that of the statement. */
export function plainOf(type: DuckDBType, raw: unknown, form: Form): Plain {
  if (raw === null || raw === undefined) return null;
  if (isJson(type)) return plainJson(form === "json" ? JSON.stringify(raw) : jsonTextOf(type, raw));
  switch (type.typeId) {
    case Id.LIST:
    case Id.ARRAY:
      return itemsOf(raw).map((item) => plainOf((type as DuckDBListType | DuckDBArrayType).valueType, item, form));
    case Id.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType;
      const entries = (raw as { entries?: object }).entries ?? (raw as object);
      const memberAt = (index: number) =>
        Array.isArray(raw) ? raw[index] : member(entries, entryNames[index] || `f${index + 1}`);
      return entryTypes.map((entry, index) => plainOf(entry, memberAt(index), form));
    }
    case Id.MAP: {
      const { keyType, valueType } = type as DuckDBMapType;
      const entries = entriesOf(raw).map(([key, value]): Plain[] => [
        plainOf(keyType, key, form),
        plainOf(valueType, value, form),
      ]);
      return entries.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    }
    default:
      return leaf(type, raw);
  }
}

const member = (entries: object, name: string): unknown =>
  Object.hasOwn(entries, name) ? (entries as Record<string, unknown>)[name] : `no member ${name}`;

function itemsOf(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : (raw as { items: readonly unknown[] }).items;
}

function entriesOf(raw: unknown): readonly (readonly [unknown, unknown])[] {
  const { entries } = raw as { entries?: unknown };
  if (Array.isArray(entries)) return entries.map(({ key, value }) => [key, value]);
  return Object.entries(raw as object);
}

/** Returns the JSON text of a value of the engine's package: of a UNION in the engine's own answer, else the text itself. */
function jsonTextOf(type: DuckDBType, raw: unknown): string {
  if (typeof raw === "string") return raw;
  const { tag, value } = raw as { tag: string; value: DuckDBValue };
  const { memberTags, memberTypes } = type as DuckDBUnionType;
  const memberType = memberTypes[memberTags.indexOf(tag)] as DuckDBType;
  return JSON.stringify({ [tag]: jsonOf(memberType, plainOf(memberType, value, "native")) });
}

/** Returns a plain value of a list or another type as JSON has it. */
function jsonOf(type: DuckDBType, plain: Plain): unknown {
  if (Array.isArray(plain)) return plain.map((item) => jsonOf((type as DuckDBListType).valueType, item));
  return type.typeId === Id.BOOLEAN && plain !== null ? plain === "true" : plain;
}

/**
 * Returns JSON without space, with numbers and what the engine has beside the standard as texts: pages show long numbers
 * and NaN as texts.
 */
function plainJson(text: string): string | null {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[-+]?[\w.][\w.+-]*|[[\]{}:,]/gs) ?? [];
  const plain = tokens.map((token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (/^(?:[[\]{}:,]|null|true|false)$/.test(token)) return token;
    const number = /^\+?(-?)(nan|inf(?:inity)?)$/i.exec(token);
    if (number !== null) return number[2]?.toLowerCase() === "nan" ? '"NaN"' : `"${number[1]}Infinity"`;
    return `"${token.replace(/^(-?)\./, "$10.")}"`;
  });
  const joined = plain.join("").replaceAll(/,(?=[\]}])/g, "");
  return joined === "null" ? null : joined;
}

function leaf(type: DuckDBType, raw: unknown): string {
  const text = raw instanceof NumberText ? raw.text : raw;
  switch (type.typeId) {
    case Id.FLOAT:
      return number(Math.fround(Number(notFinite[String(text)] ?? text)));
    case Id.DOUBLE:
      return number(Number(notFinite[String(text)] ?? text));
    case Id.DECIMAL: {
      const { scale } = type as DuckDBDecimalType;
      const written = String(text);
      // The engine's package writes no fraction for a scale of 0.
      return /^-?\d+\.\d+$/.test(written) || scale === 0 ? written : `no decimal: ${written}`;
    }
    case Id.DATE:
      if (text instanceof DuckDBDateValue) return String(text.days);
      return String(typeof text === "string" ? daysOf(text) : text);
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_TZ:
      return ticks(text, 1_000_000n);
    case Id.TIMESTAMP_NS:
      return ticks(text, 1_000_000_000n);
    case Id.TIME:
      if (text instanceof DuckDBTimeValue) return String(text.micros);
      return typeof text === "string" ? String(timeOf(text, 1_000_000n)) : String(text);
    case Id.TIME_NS:
      if (text instanceof DuckDBTimeNSValue) return String(text.nanos);
      return String(timeOf(String(text), 1_000_000_000n));
    case Id.BLOB:
      if (text instanceof DuckDBBlobValue) return Buffer.from(text.bytes).toString("base64");
      return text instanceof Uint8Array ? Buffer.from(text).toString("base64") : String(text);
    default:
      return String(text);
  }
}

const notFinite: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

const number = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

/** Counts since 1970 of the two infinite times. */
const infinite: Readonly<Record<string, bigint>> = { infinity: 2n ** 63n - 1n, "-infinity": -(2n ** 63n) + 1n };

/** Returns the days since 1970 of a date as a page shows it. */
function daysOf(text: string): number {
  if (text in infinite) return text === "infinity" ? 2_147_483_647 : -2_147_483_647;
  const [, year = "", month = "", day = ""] = /^([+-]\d{6,7}|\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === "") return Number.NaN;
  // JavaScript's dates end before the engine's. The calendar repeats each 400 years.
  const cycles = Math.floor(Number(year) / 400);
  const within = Date.UTC(2_000 + Number(year) - cycles * 400, Number(month) - 1, Number(day)) / 86_400_000;
  return within + (cycles - 5) * 146_097;
}

function timeOf(text: string, perSecond: bigint): bigint {
  const [, hours = "", minutes = "", seconds = "", fraction = ""] =
    /^(\d\d):(\d\d):(\d\d)(?:\.(\d+))?$/.exec(text) ?? [];
  if (hours === "") return -1n;
  const whole = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  return whole * perSecond + (BigInt(fraction.padEnd(9, "0")) * perSecond) / 1_000_000_000n;
}

/** Returns the count since 1970 of a time as a page shows it, of a value of the engine's package, or of Arrow. */
function ticks(value: unknown, perSecond: bigint): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "string") {
    const { seconds, millis, micros, nanos } = value as Record<string, bigint | undefined>;
    const count = nanos ?? micros ?? (millis === undefined ? (seconds ?? 0n) * 1_000_000n : millis * 1_000n);
    return String(count);
  }
  const known = infinite[value];
  if (known !== undefined) return String(known);
  const [, day = "", time = ""] = /^(.*)T(.*)Z$/.exec(value) ?? [];
  return String(BigInt(daysOf(day)) * 86_400n * perSecond + timeOf(time, perSecond));
}
