import { EngineLostError } from "@quern/adapter";
import { failure, queryFailure } from "../failure.ts";

/** Column of a result. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Result in the format of the adapter, whose first two lines were read. */
export interface Rows {
  readonly columns: readonly Column[];
  /** Yields rows as JSON arrays of rows. Rows are not parsed, so that they keep all digits of their numbers. */
  readonly arrays: AsyncGenerator<Uint8Array>;
  /** Number of rows that the arrays have so far. */
  readonly rowCount: () => number;
}

/** Largest row that is read, in bytes: the limit of the writer of results, which fails with the same message. */
const maxRowBytes = 16_777_216;
const newline = 0x0a;
const comma = 0x2c;
const openBracket = 0x5b;
const quote = 0x22;
const backslash = 0x5c;
/** Bytes after a number: a comma, or the end of an array or object. */
const endsValue: ReadonlySet<number | undefined> = new Set([0x2c, 0x5d, 0x7d]);

/**
 * Reads the columns of a result.
 * @throws {StatementError} for an error of ClickHouse instead of rows
 * @throws {EngineLostError} if the response ends before its columns
 */
export async function readRows(body: AsyncIterable<Uint8Array>, source: string): Promise<Rows> {
  const lines = wholeLines(body);
  let head = Buffer.alloc(0);
  for (let second = -1; second < 0; second = head.indexOf(newline, head.indexOf(newline) + 1)) {
    const { done, value } = await lines.next();
    if (done === true) throw new EngineLostError("ClickHouse ended before the columns of the result.");
    if (value[0] !== openBracket) throw failureInBody(value, source);
    head = Buffer.concat([head, value]);
  }
  const first = head.indexOf(newline);
  const second = head.indexOf(newline, first + 1);
  const names = textArray(head.subarray(0, first));
  const types = textArray(head.subarray(first + 1, second));
  const columns = names.map((name, index) => ({ name, type: types[index] ?? "" }));
  const hasFloats = types.some((type) => /Float|JSON|Dynamic/.test(type));

  let rowCount = 0;
  const counted = (lines: Buffer): Uint8Array => {
    const { json, count } = asArray(hasFloats ? withSignedZeros(lines) : lines, source);
    rowCount += count;
    return json;
  };
  async function* arrays(): AsyncGenerator<Uint8Array> {
    if (head.length > second + 1) yield counted(head.subarray(second + 1));
    for await (const rows of lines) yield counted(rows);
  }
  return { columns, arrays: arrays(), rowCount: () => rowCount };
}

/** Joins the chunks of a body to pieces that end with a line. */
async function* wholeLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let rest: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) yield Buffer.concat([...rest, chunk.subarray(0, end)]);
    if (end > 0) [rest, length] = [[], 0];
    rest.push(chunk.subarray(end));
    length += chunk.byteLength - end;
    if (length > maxRowBytes) throw tooLarge();
  }
  if (length > 0) throw new EngineLostError("ClickHouse ended in the middle of a row.");
}

/** Returns lines with a row each as one JSON array, and their number. Strings have no line breaks, because JSON escapes them. */
function asArray(lines: Buffer, source: string): { readonly json: Uint8Array; readonly count: number } {
  const json = Buffer.concat([Buffer.from("["), lines]);
  let start = 1;
  let count = 0;
  for (let end = json.indexOf(newline); end >= 0; end = json.indexOf(newline, start)) {
    if (json[start] !== openBracket) throw failureInBody(json.subarray(start), source);
    json[end] = comma;
    start = end + 1;
    count += 1;
  }
  json[json.length - 1] = 0x5d;
  return { json, count };
}

/**
 * Replaces the number -0, as ClickHouse writes -0.0, by -0.0. The writer of results reads -0 as the integer 0, which has no
 * sign.
 * @param lines whole lines
 */
function withSignedZeros(lines: Buffer): Buffer {
  const ends: number[] = [];
  let isInString = false;
  let scanned = 0;
  for (let at = lines.indexOf("-0"); at >= 0; at = lines.indexOf("-0", at + 2)) {
    if (!endsValue.has(lines[at + 2])) continue;
    for (; scanned < at; scanned += 1) {
      if (lines[scanned] === quote) isInString = !isInString;
      else if (lines[scanned] === backslash) scanned += 1; // the next byte is escaped
    }
    if (!isInString) ends.push(at + 2);
  }
  if (ends.length === 0) return lines;
  const signed = Buffer.alloc(lines.length + 2 * ends.length);
  let copied = 0;
  for (const [index, end] of ends.entries()) {
    lines.copy(signed, copied + 2 * index, copied, end);
    signed.write(".0", end + 2 * index);
    copied = end;
  }
  lines.copy(signed, copied + 2 * ends.length, copied);
  return signed;
}

/** Creates the failure for a text instead of a row, which ClickHouse writes when a query fails after its first rows. */
function failureInBody(text: Buffer, source: string): Error {
  const known = queryFailure(text.subarray(0, 10_000).toString(), source);
  return known ?? failure("InvalidResponse", "DATA_SOURCE", "ClickHouse sent a row that is not a JSON array.");
}

function textArray(json: Uint8Array): readonly string[] {
  const values: unknown = JSON.parse(Buffer.from(json).toString());
  return Array.isArray(values) ? values.map(String) : [];
}

function tooLarge(): Error {
  const message = `A row of the result is larger than ${maxRowBytes} bytes; select shorter values.`;
  return failure("ResultTooLarge", "RESOURCE", message);
}
