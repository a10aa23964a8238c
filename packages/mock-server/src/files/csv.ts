import type { ColumnKind } from "@quern/query-run/record";
import type { Table } from "../results/result-set.ts";

/** A cell, and whether it stood in quotes: a number in quotes is a text, and nothing in quotes is no null. */
interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n?|\n|$)/gy;

/** Reads CSV as RFC 4180 has it. A column whose values all look like numbers, booleans or times is one of these. @throws SyntaxError */
export function csvTable(text: string, name: string): Table {
  const [head, ...records] = recordsOf(text, name);
  if (head === undefined) throw new SyntaxError(`${name} has no line of names`);
  // Nothing but a line end is an empty value where there is one column, and a line that says nothing elsewhere.
  const said = records.filter((record) => head.length === 1 || record.length > 1 || !record.every(isNull));
  const odd = said.findIndex((record) => record.length !== head.length);
  if (odd >= 0)
    throw new SyntaxError(`row ${odd + 1} of ${name} has ${said[odd]?.length} values for ${head.length} columns`);
  const kinds = head.map((_, at) => kindOf(said.flatMap((record) => record[at] ?? [])));
  return {
    columns: head.map(({ text: column }, at) => ({ name: column, type: kinds[at] ?? "string" })),
    rows: said.map((record) => record.map((cell, at) => read(cell, kinds[at]))),
  };
}

function recordsOf(text: string, name: string): Cell[][] {
  const records: Cell[][] = [];
  let record: Cell[] = [];
  let at = 0;
  while (at < text.length) {
    cells.lastIndex = at;
    const [whole, quoted, plain = "", end] = cells.exec(text) ?? [];
    if (whole === undefined) throw new SyntaxError(`${name} has a quote where none may be, at character ${at}`);
    record.push(
      quoted === undefined ? { text: plain, quoted: false } : { text: quoted.replaceAll('""', '"'), quoted: true },
    );
    at += whole.length;
    // A comma at the end of the file is followed by one value more, which is empty.
    if (end === "," && at === text.length) record.push({ text: "", quoted: false });
    if (end === "," && at < text.length) continue;
    records.push(record);
    record = [];
  }
  return records;
}

const shapes: readonly (readonly [ColumnKind, RegExp])[] = [
  ["number", /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i],
  ["boolean", /^(?:true|false)$/i],
  ["date", /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/],
];

const isNull = ({ text, quoted }: Cell): boolean => text === "" && !quoted;

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** A time as the service sends it; one that says no zone is of UTC, and a day stays a day. */
function timeOf(text: string): string {
  const [day, time] = text.split(/[T ]/);
  if (time === undefined) return text;
  return `${day}T${time}${/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? "" : "Z"}`;
}

function kindOf(column: readonly Cell[]): ColumnKind {
  const values = column.filter((cell) => !isNull(cell));
  if (values.length === 0) return "string";
  const fits = ([kind, pattern]: (typeof shapes)[number]) =>
    values.every(({ text, quoted }) => !quoted && pattern.test(text) && (kind !== "date" || isTime(text)));
  return shapes.find(fits)?.[0] ?? "string";
}

function read(cell: Cell, kind: ColumnKind | undefined): unknown {
  if (isNull(cell)) return null;
  if (kind === "boolean") return cell.text.toLowerCase() === "true";
  if (kind === "date") return timeOf(cell.text);
  if (kind !== "number") return cell.text;
  // Digits that a double does not hold stay as they are.
  const number = Number(cell.text);
  return /^[+-]?\d+$/.test(cell.text) && !Number.isSafeInteger(number) ? BigInt(cell.text.replace(/^\+/, "")) : number;
}
