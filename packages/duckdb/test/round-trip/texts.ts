import { quotedText } from "../../src/engine/quoting.ts";
import type { Random } from "./random.ts";

const awkward = [
  "",
  " ",
  "null",
  "NULL",
  "a,b",
  'a"b',
  '"',
  "'",
  "\\",
  "\\n",
  "a\nb",
  "a\rb",
  "\r\n",
  "\t",
  "\u0001",
  "\u001F",
  "\u007F",
  "\uFEFF",
  "\uFEFFa",
  "a\uFEFF",
  "\uFFFD",
  "\u2028",
  "ä€😀",
  "e\u0301",
  "\u00E9",
  "1",
  "-0",
  "1e5",
  "NaN",
  "true",
  "0x10",
  '{"a":1}',
  "[1,]",
  "[]",
  "{}",
  "$1",
  "?",
  "%",
  "_",
  "\\N",
  "#",
  "=1+1",
  "+012026-01-02",
  "2026-01-02",
  "x".repeat(300),
];

export function text(random: Random): string {
  if (random.chance(0.6)) return random.pick(awkward);
  const length = random.below(12);
  const points = Array.from({ length }, () => {
    const point = random.pick([0x20, 0x80, 0x800, 0xd800, 0xe000, 0x10000]) + random.below(95);
    return String.fromCodePoint(point >= 0xd800 && point < 0xe000 ? 0x3042 : point);
  });
  return points.join("") + (random.chance(0.2) ? random.pick(awkward) : "");
}

/** Returns SQL for a text. The engine's parser takes every character in quotes except NUL. */
export const textLiteral = quotedText;

/** Names of columns and members that have a meaning elsewhere. */
export const names = [
  "id",
  "state",
  "toString",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "length",
  "rows",
  "c0",
  "file_row_number",
  'a "b"',
  "it's",
  "a,b",
  "a b",
  "\uFEFFx",
  "ä€😀",
  "select",
  "a.b",
  "a\\b",
  "a\nb",
  "1",
  "-1",
  "__row_index",
  "null",
  "f1",
  "key",
  "value",
  "line",
];

/** Returns JSON, with what the engine accepts beside the standard. */
export const json = (random: Random, depth = 0): string => {
  const number = (): string =>
    random.pick([
      "0",
      "-0.0",
      "1.10",
      "1e5",
      "12345678901234567890",
      "0.1000000000000000055511151231257827",
      "1e400",
      "-5",
      "9007199254740993",
    ]);
  const word = (): string => JSON.stringify(text(random));
  if (depth > 2 || random.chance(0.5))
    return random.pick(["null", "true", "false", number(), number(), word(), word(), "NaN", "-Infinity"]);
  const items = Array.from({ length: random.below(4) }, () => json(random, depth + 1));
  if (random.chance(0.5)) return `[${items.join(random.pick([",", ", "]))}]`;
  // Unique names that are no numbers keep their order in JavaScript.
  const name = (index: number): string => JSON.stringify(`${random.pick(names)}_${index}`);
  return `{${items.map((item, index) => `${name(index)}:${item}`).join(", ")}}`;
};
