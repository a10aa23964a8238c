import type { ValueForms } from "./exact-value.ts";

/**
 * Form of the texts that the engine's reader of CSV files converts exactly to a type, as an automaton over the bytes of a
 * value. It starts in the first state.
 */
export type ValueForm = readonly FormState[];

interface FormState {
  /** Next state by byte; a key has all bytes that lead to the state. */
  readonly next: Readonly<Record<string, number>>;
  /** Bytes that a value may have if it ends in this state. Undefined if none may end in it. */
  readonly longest?: number | undefined;
}

const digit = "0123456789";
/** A longer number could be beyond the range of a DOUBLE. */
const longestNumber = 200;

const integer: ValueForm = [
  { next: { " ": 0, "+-": 1, [digit]: 2 } },
  { next: { [digit]: 2 } },
  { next: { [digit]: 2 }, longest: longestNumber },
];

const boolean: ValueForm = [
  { next: { tT: 1, fF: 5 } },
  { next: { rR: 2 } },
  { next: { uU: 3 } },
  { next: { eE: 4 } },
  { next: {}, longest: 5 },
  { next: { aA: 6 } },
  { next: { lL: 7 } },
  { next: { sS: 3 } },
];

/** Numbers with exponents of at most two digits. A whole number of more than 15 digits may be one that a DOUBLE changes. */
function decimal(point: string): ValueForm {
  return [
    { next: { " ": 0, "+-": 1, [digit]: 2, [point]: 3 } },
    { next: { [digit]: 2, [point]: 3 } },
    { next: { [digit]: 2, [point]: 4, eE: 5 }, longest: 15 },
    { next: { [digit]: 4 } },
    { next: { [digit]: 4, eE: 5 }, longest: longestNumber },
    { next: { "+-": 6, [digit]: 7 } },
    { next: { [digit]: 7 } },
    { next: { [digit]: 8 }, longest: longestNumber },
    { next: {}, longest: longestNumber },
  ];
}

/** Returns the form of texts such as `pattern`, whose zeros stand for digits, that end after one of the given lengths. */
function template(pattern: string, lengths: readonly number[], zone: "zone" | "no zone" = "no zone"): ValueForm {
  const end = pattern.length;
  const withZone = { Z: end + 6, "+-": end + 1 };
  const states = Array.from({ length: end + 1 }, (_, index): FormState => {
    const character = pattern[index] ?? "";
    const bytes = character === "0" ? digit : character === " " ? " T" : character;
    const isEnd = lengths.includes(index);
    return {
      next: { ...(index < end && { [bytes]: index + 1 }), ...(isEnd && zone === "zone" && withZone) },
      ...(isEnd && { longest: end }),
    };
  });
  const longest = end + 6;
  const zones: ValueForm = [
    { next: { [digit]: end + 2 } },
    { next: { [digit]: end + 3 } },
    { next: { ":": end + 4 }, longest },
    { next: { [digit]: end + 5 } },
    { next: { [digit]: end + 6 } },
    { next: {}, longest },
  ];
  return zone === "zone" ? [...states, ...zones] : states;
}

/** Digits and signs of a date in a format of its own. Texts such as `infinity` have letters. */
const formatted: ValueForm = [{ next: { [`${digit}-/.: T`]: 0 }, longest: 40 }];

const decimals = { ".": decimal("."), ",": decimal(",") };
const dateLength = 10;
const fractions = [21, 22, 23, 24, 25, 26];
const timestamp = "0000-00-00 00:00:00.000000";

const fixedForms: Readonly<Record<string, ValueForm>> = {
  BIGINT: integer,
  BOOLEAN: boolean,
  DATE: template("0000-00-00", [dateLength]),
  TIME: template("00:00:00.000000", [8, 10, 11, 12, 13, 14, 15]),
  TIMESTAMP: template(timestamp, [dateLength, 19, ...fractions]),
  "TIMESTAMP WITH TIME ZONE": template(timestamp, [19, ...fractions], "zone"),
};

/** Returns the form of a type that the engine has detected. Undefined if all its values must be compared with their texts. */
export function valueForm(
  type: string,
  { dateFormat, timestampFormat, decimalSeparator }: ValueForms,
): ValueForm | undefined {
  if (type === "DOUBLE") return decimals[decimalSeparator ?? "."];
  const hasFormat = type === "DATE" ? dateFormat : type === "TIMESTAMP" ? timestampFormat : undefined;
  return hasFormat === undefined ? fixedForms[type] : formatted;
}

/** Automata of the columns of a file in one table. */
export interface FormTable {
  /** Next state by state * 256 + byte. */
  readonly next: Uint16Array;
  /** Longest value by state; -1 if no value may end in it. */
  readonly longest: Int32Array;
  /** First state by column. */
  readonly starts: Uint16Array;
}

/** State of a value that does not have the form of its column, and of a value of any form. */
export const [otherForm, anyForm] = [0, 1];
/** Stands for the next state of a byte that may end the value. */
export const endOfForm = 0xffff;

/** @param ends bytes that may end a value */
export function formTable(forms: readonly (ValueForm | undefined)[], ends: readonly number[]): FormTable {
  const first = new Map<ValueForm, number>();
  let count = 2;
  for (const form of forms)
    if (form !== undefined && !first.has(form)) {
      first.set(form, count);
      count += form.length;
    }
  const next = new Uint16Array(count * 256);
  const longest = new Int32Array(count).fill(-1);
  longest[anyForm] = 2 ** 31 - 1;
  next.fill(anyForm, anyForm * 256, (anyForm + 1) * 256);
  for (const [form, start] of first)
    for (const [index, state] of form.entries()) {
      longest[start + index] = state.longest ?? -1;
      for (const [bytes, to] of Object.entries(state.next))
        for (const byte of Buffer.from(bytes)) next[(start + index) * 256 + byte] = start + to;
    }
  for (let state = 0; state < count; state += 1) for (const byte of ends) next[state * 256 + byte] = endOfForm;
  const starts = Uint16Array.from(forms, (form) => (form && first.get(form)) ?? anyForm);
  return { next, longest, starts };
}
