import type { ColumnKind } from "@quern/query-run/record";
import type { Table } from "../results/result-set.ts";

/** Cell of CSV. A quoted number is a string, and a quoted empty cell is not null. */
interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n?|\n|$)/gy;

/**
 * Parses CSV (RFC 4180). An unquoted empty value is null. A column has the type number, boolean or date if it has
 * other values, all of which are unquoted and written so; otherwise it has the type string.
 * @throws SyntaxError
 */
export function csvTable(text: string, name: string): Table {
  const [head, ...records] = recordsOf(text, name);
  if (head === undefined) throw new SyntaxError(`${name}: missing header line; add the names of the columns`);
  // An empty line is an empty value in a file of one column, and is ignored in others.
  const rows = records.filter((record) => head.length === 1 || record.length > 1 || !record.every(isNull));
  const odd = rows.findIndex((record) => record.length !== head.length);
  if (odd >= 0)
    throw new SyntaxError(
      `${name}: invalid row ${odd + 1} after the header line: expected ${head.length} values, got ${rows[odd]?.length}`,
    );
  const kinds = head.map((_, at) => kindOf(rows.flatMap((record) => record[at] ?? [])));
  return {
    columns: head.map(({ text: column }, at) => ({ name: column, type: kinds[at] ?? "string" })),
    rows: rows.map((record) => record.map((cell, at) => read(cell, kinds[at]))),
  };
}

function recordsOf(text: string, name: string): Cell[][] {
  const records: Cell[][] = [];
  let record: Cell[] = [];
  let at = 0;
  while (at < text.length) {
    cells.lastIndex = at;
    const [whole, quoted, plain = "", end] = cells.exec(text) ?? [];
    if (whole === undefined)
      throw new SyntaxError(
        `${name}: unexpected quote in the value at character ${at + 1}; quote the whole value, and double the quotes in it`,
      );
    record.push(
      quoted === undefined ? { text: plain, quoted: false } : { text: quoted.replaceAll('""', '"'), quoted: true },
    );
    at += whole.length;
    // A comma at the end of the file is followed by an empty value.
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

/** Returns a time in the format of ISO 8601: UTC unless it names a zone. A date without a time stays a date. */
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
  // An integer beyond 2^53 - 1 becomes a bigint, because a double would lose digits.
  const number = Number(cell.text);
  return /^[+-]?\d+$/.test(cell.text) && !Number.isSafeInteger(number) ? BigInt(cell.text.replace(/^\+/, "")) : number;
}
