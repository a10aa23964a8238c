import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { type CsvOptions, SourceError } from "../sources/origin.ts";
import { type CsvRecord, createCsvReader, type Dialect } from "./csv-records.ts";

/** CSV file that the engine can read: each record has the same number of fields. */
export interface CsvFile {
  /** File of the operator, for messages. */
  readonly shown: string;
  /** The file itself, or a corrected copy of it. */
  readonly path: string;
  readonly dialect: Dialect;
  /** Lines before the first record. */
  readonly skip: number;
  /** Fields of each record. */
  readonly fields: number;
  /** Rows, with a header. */
  readonly records: number;
  /** Bytes of the longest record. */
  readonly longest: number;
  readonly hasEmptyTexts: boolean;
  /** Short rows that were filled with NULL. */
  readonly padded: number;
  /** Rows that were not loaded. */
  readonly ignored: number;
}

type Chunks = AsyncIterable<Buffer>;

/** Bytes at the start of a file from which the delimiter and the encoding are detected. */
const headBytes = 1 << 20;
const chunkBytes = 1 << 20;

/**
 * Reads a whole CSV file and counts its records. A file with another encoding than UTF-8, several kinds of line breaks,
 * or rows that are padded or ignored, is copied without these.
 * @param copy path of the copy
 * @throws {SourceError} with the file, the line and the flag that loads the file
 */
export async function examineCsv(path: string, shown: string, options: CsvOptions, copy: string): Promise<CsvFile> {
  const head = await firstBytes(bytesOf(path));
  const encoding = encodingOf(head, shown, options);
  const chunks = (): Chunks => withoutLines(decoded(bytesOf(path), encoding, shown), options.skip ?? 0);
  const text = await firstBytes(chunks());
  const dialect = { delimiter: options.delimiter ?? delimiterOf(text, shown, options), quote: options.quote ?? '"' };
  let [fields, records, longest, padded, ignored, firstLine] = [0, 0, 0, 0, 0, 0];
  let hasEmptyTexts = false;
  const use = (record: CsvRecord): "kept" | "padded" | "ignored" => {
    if (fields === 0) [fields, firstLine] = [record.fields, record.line];
    if (record.fields === fields && record.fault === undefined) return "kept";
    const isShort = record.fault === undefined && record.fields < fields;
    if (isShort && options.padRows === true) return "padded";
    if (options.ignoreErrors !== true || record.fault === "quote that is not closed")
      throw refusal(record, fields, shown, options);
    return "ignored";
  };
  const reader = createCsvReader(dialect, (record) => {
    const used = use(record);
    if (used === "ignored") {
      ignored += 1;
      return;
    }
    if (used === "padded") padded += 1;
    records += 1;
    longest = Math.max(longest, record.end - record.start);
    hasEmptyTexts ||= record.hasEmptyText;
  });
  for await (const chunk of chunks()) reader.push(chunk);
  const { breaks, blankLines } = reader.end();
  // The engine takes a byte order mark before a quote for text.
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  const isCopied = encoding !== "utf-8" || hasMark || breaks.size > 1 || padded + ignored > 0;
  if (isCopied) {
    const filling = options.nullText?.[0] ?? "";
    await writeRecords(chunks(), dialect, copy, (record, buffer) => {
      const used = use(record);
      if (used === "ignored") return "";
      const missing = `${dialect.delimiter}${filling}`.repeat(Math.max(0, fields - record.fields));
      return `${buffer.toString("utf8", record.start, record.end)}${missing}\n`;
    });
  }
  // The engine reads an empty line as NULL if there is only one column.
  const hasBlankRows = fields === 1 && !isCopied;
  return {
    ...{ shown, dialect, fields, longest, hasEmptyTexts, padded, ignored },
    path: isCopied ? copy : path,
    skip: isCopied ? 0 : (options.skip ?? 0) + (firstLine > 0 ? firstLine - 1 : 0),
    records: records + (hasBlankRows ? blankLines - (firstLine - 1) : 0),
  };
}

function bytesOf(path: string): Chunks {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  return /\.gz$/i.test(path) ? file.pipe(createGunzip({ chunkSize: chunkBytes })) : file;
}

async function firstBytes(chunks: Chunks): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) {
    read.push(chunk);
    if (read.reduce((sum, { length }) => sum + length, 0) >= headBytes) break;
  }
  return Buffer.concat(read);
}

function encodingOf(head: Buffer, shown: string, { encoding }: CsvOptions): string {
  if (encoding !== undefined) return new TextDecoder(encoding).encoding;
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const start = head.subarray(0, 1000);
  const zeros = start.filter((byte) => byte === 0).length;
  if (zeros * 4 < start.length || zeros === 0) return "utf-8";
  throw new SourceError(
    `Text that is not UTF-8: ${shown}: it has NUL bytes; add --encoding ${start[0] === 0 ? "utf-16be" : "utf-16le"}`,
  );
}

/** Yields the bytes in UTF-8, without a byte order mark. */
async function* decoded(chunks: Chunks, encoding: string, shown: string): Chunks {
  if (encoding === "utf-8") return yield* checkedUtf8(chunks, shown);
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw new SourceError(`Text that is not in the encoding ${encoding}: ${shown}; set another --encoding`);
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

async function* checkedUtf8(chunks: Chunks, shown: string): Chunks {
  let [rest, line, isFirst] = [Buffer.alloc(0) as Buffer, 1, true];
  const check = (text: Buffer): void => {
    if (isUtf8(text)) return;
    for (let at = 0; at < text.length; line += 1) {
      const end = text.indexOf(0x0a, at) + 1 || text.length;
      if (!isUtf8(text.subarray(at, end))) break;
      at = end;
    }
    throw new SourceError(`Text that is not UTF-8: ${shown} line ${line}; add --encoding, such as --encoding latin1`);
  };
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(0x0a) + 1;
    check(Buffer.concat([rest, chunk.subarray(0, end)]));
    if (end > 0) rest = chunk.subarray(end);
    else rest = Buffer.concat([rest, chunk]);
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) line += 1;
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
  check(rest);
}

async function* withoutLines(chunks: Chunks, count: number): Chunks {
  let left = count;
  for await (const chunk of chunks) {
    let at = 0;
    for (; left > 0; left -= 1) {
      const end = chunk.indexOf(0x0a, at);
      if (end < 0) break;
      at = end + 1;
    }
    if (left === 0) yield chunk.subarray(at);
  }
}

/** Returns the delimiter that the first record has and that divides the records after it most evenly. */
function delimiterOf(head: Buffer, shown: string, { quote = '"' }: CsvOptions): string {
  if (/\.tsv(\.gz)?$/i.test(shown)) return "\t";
  let best = { delimiter: ",", even: 0, fields: 1 };
  for (const delimiter of [",", ";", "\t", "|"]) {
    const counts: number[] = [];
    const reader = createCsvReader({ delimiter, quote }, ({ fields, fault }) => {
      if (counts.length < 100) counts.push(fault === undefined ? fields : 0);
    });
    reader.push(head.subarray(0, Math.max(head.lastIndexOf(0x0a) + 1, head.length < headBytes ? head.length : 0)));
    reader.end();
    const [fields = 1] = counts;
    const even = counts.filter((count) => count === fields).length;
    if (fields > 1 && (even > best.even || (even === best.even && fields > best.fields)))
      best = { delimiter, even, fields };
  }
  return best.delimiter;
}

function refusal({ line, fields: found, fault }: CsvRecord, fields: number, shown: string, options: CsvOptions): Error {
  const place = `${shown} line ${line + (options.skip ?? 0)}`;
  if (fault === "quote that is not closed")
    return new SourceError(
      `Quote that is not closed: ${place}; correct the file, or add --quote '' to read quotes as text`,
    );
  const leave = "--ignore-errors to leave such rows out";
  if (fault !== undefined)
    return new SourceError(
      `Text after a closing quote: ${place}; double the quotes within a field, or add --quote '' to read quotes as text, or ${leave}`,
    );
  const counted = (count: number): string => `${count} field${count === 1 ? "" : "s"}`;
  const pad = found < fields ? "--pad-rows to fill such rows with NULL, or " : "";
  return new SourceError(
    `Row with ${counted(found)} below a first row with ${counted(fields)}: ${place}; set --delimiter or --quote, or --skip if the table begins at a later line, or add ${pad}${leave}`,
  );
}

async function writeRecords(
  chunks: Chunks,
  dialect: Dialect,
  path: string,
  textOf: (record: CsvRecord, buffer: Buffer) => string,
): Promise<void> {
  const out = createWriteStream(path);
  let text: string[] = [];
  const reader = createCsvReader(dialect, (record, buffer) => void text.push(textOf(record, buffer)));
  const flush = async (): Promise<void> => {
    const ready = out.write(text.join(""));
    text = [];
    if (!ready) await once(out, "drain");
  };
  for await (const chunk of chunks) {
    reader.push(chunk);
    await flush();
  }
  reader.end();
  await flush();
  out.end();
  await once(out, "finish");
}
