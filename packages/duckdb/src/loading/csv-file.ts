import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { type CsvOptions, SourceError } from "../sources/origin.ts";
import { type CsvRecord, createCsvReader, type Dialect } from "./csv-records.ts";
import { checkedUtf8, decoded, encodingOf, withoutLines } from "./csv-text.ts";
import { bytesOf, type Chunks, firstBytes, headBytes } from "./file-bytes.ts";
import type { ValueForm } from "./value-form.ts";

/** CSV file that the engine can read, and what its first rows show. */
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
  /** Bytes that a record may have. */
  readonly longest: number;
  /** True if a field is two quotes and nothing else. */
  readonly hasEmptyTexts: boolean;
  /** Short rows that were filled with NULL. */
  readonly padded: number;
  /** Rows that were not loaded. */
  readonly ignored: number;
}

/** Facts about the records of a file. */
export interface CsvRecords {
  /** Rows, with a header. */
  readonly records: number;
  /** Bytes of the longest record. */
  readonly longest: number;
  /** True if the file has several kinds of line breaks. */
  readonly isMixed: boolean;
  /** Columns with a field that is two quotes and nothing else, not counting the header. */
  readonly emptyTexts: ReadonlySet<number>;
  /** Columns with a value that does not have the form of the column, not counting the header. */
  readonly otherForms: ReadonlySet<number>;
  /** Bytes of the first rows, and of rows that have such a value or text, each with a line break. */
  readonly sample: Buffer;
}

/** Rows of a file from which types are detected first. */
export const sampleRows = 20_000;
/** Bytes from which the engine detects types at most. It finds no columns in them if they have several kinds of line breaks. */
const detectedBytes = 32_000_000;
/** Most bytes of a sample. */
const sampleBytes = 1 << 25;

/** Bytes of a record that the engine reads by default, with some for its line break. */
export const usualLongest = 1_999_000;

/**
 * Detects the form of a CSV file from its first bytes. A file that the engine cannot read as it is, because of its
 * encoding, or of rows that are padded or omitted, is copied without these.
 * @param copy path of the copy
 * @throws {SourceError} with the file, the line and the flag that loads the file
 */
export async function openCsv(path: string, shown: string, options: CsvOptions, copy: string): Promise<CsvFile> {
  const head = await firstBytes(bytesOf(path));
  const encoding = encodingOf(head, shown, options);
  const { skip = 0, quote = '"' } = options;
  const text = (): Chunks => withoutLines(decoded(path, encoding, shown), skip);
  const characters = { quote, escape: options.escape ?? quote };
  const delimiter = options.delimiter ?? delimiterOf(await firstBytes(text()), shown, characters);
  const dialect = { ...characters, delimiter };
  const { file, isMixed } = await opened(text(), { path, shown, dialect, skip });
  // The engine takes a byte order mark before a quote for text.
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  const isChanged = encoding !== "utf-8" || hasMark || isMixed;
  const isCopied = isChanged || dialect.escape !== quote || options.padRows === true || options.ignoreErrors === true;
  return isCopied ? copied(file, options, copy, encoding) : file;
}

/**
 * Reads a CSV file and counts its records.
 * @param forms forms of the columns
 * @param bytes number of bytes after which it stops. @default all
 * @throws {SourceError} with the file, the line and the flag that loads the file
 */
export async function readCsvFile(
  file: CsvFile & { readonly header: boolean },
  options: CsvOptions,
  forms: readonly (ValueForm | undefined)[],
  bytes = Number.POSITIVE_INFINITY,
): Promise<CsvRecords> {
  let [records, longest, read, sampled] = [0, 0, 0, 0];
  const sample: Buffer[] = [];
  const use = useOf(file, options);
  const onRecord = (record: CsvRecord, buffer: Buffer): void => {
    if (use(record) === "left out") return;
    if ((records <= sampleRows || record.isOdd) && sampled < sampleBytes) {
      const bytes = Buffer.concat([buffer.subarray(record.start, record.end), lineBreak]);
      sample.push(bytes);
      sampled += bytes.length;
    }
    if (records === 0 && file.header) reader.forgetValues();
    if (records === sampleRows) reader.countPlain(file.fields);
    records += 1;
    longest = Math.max(longest, record.end - record.start);
  };
  const reader = createCsvReader(file.dialect, onRecord, { forms, nullText: options.nullText ?? [] });
  for await (const chunk of withoutLines(checkedUtf8(file.path, file.shown), file.skip)) {
    reader.push(chunk);
    read += chunk.length;
    if (read >= bytes) break;
  }
  if (read < bytes) reader.end();
  const { breaks, emptyTexts, otherForms, plain } = reader;
  records += plain.records;
  longest = Math.max(longest, plain.longest);
  return { records, longest, isMixed: breaks.size > 1, emptyTexts, otherForms, sample: Buffer.concat(sample) };
}

const lineBreak = Buffer.from("\n");

/** Copies a file as UTF-8 with one kind of line breaks and doubled quotes, without the rows that the engine does not read. */
export async function copied(file: CsvFile, options: CsvOptions, copy: string, encoding = "utf-8"): Promise<CsvFile> {
  let [padded, ignored] = [0, 0];
  const { dialect, fields, shown, skip } = file;
  const use = useOf(file, options);
  const filling = `${dialect.delimiter}${options.nullText?.[0] ?? ""}`;
  await writeRecords(withoutLines(decoded(file.path, encoding, shown), skip), dialect, copy, (record, buffer) => {
    const used = use(record);
    if (used === "left out") ignored += record.start < record.end ? 1 : 0;
    if (used === "left out") return "";
    if (used === "padded") padded += 1;
    const text = withDoubledQuotes(buffer.toString("utf8", record.start, record.end), dialect);
    return `${text}${filling.repeat(Math.max(0, fields - record.fields))}\n`;
  });
  const doubled = { ...dialect, escape: dialect.quote };
  const { file: corrected } = await opened(bytesOf(copy), { path: copy, shown, dialect: doubled, skip: 0 });
  return { ...corrected, padded, ignored };
}

/** Returns a file with what its first records show. @param chunks the file in UTF-8, without the lines to skip */
async function opened(
  chunks: Chunks,
  file: Pick<CsvFile, "path" | "shown" | "dialect" | "skip">,
): Promise<{ readonly file: CsvFile; readonly isMixed: boolean }> {
  let [fields, firstLine, longest, read, records] = [0, 1, usualLongest, 0, 0];
  const isKnown = (): boolean => fields > 0 && read >= headBytes && (records > sampleRows || read >= detectedBytes);
  const reader = createCsvReader(file.dialect, ({ start, end, line, fields: count }) => {
    if (start === end) return;
    records += 1;
    longest = Math.max(longest, end - start);
    if (fields === 0) [fields, firstLine] = [count, line];
  });
  for await (const chunk of chunks) {
    reader.push(chunk);
    read += chunk.length;
    if (isKnown()) break;
  }
  if (!isKnown()) reader.end();
  if (fields === 0) throw new SourceError(`File without rows: ${file.shown}; remove it, or name another file`);
  const { breaks, emptyTexts } = reader;
  const found = { skip: file.skip + firstLine - 1, fields, longest, hasEmptyTexts: emptyTexts.size > 0 };
  return { file: { ...file, ...found, padded: 0, ignored: 0 }, isMixed: breaks.size > 1 };
}

/** Returns a function that decides about a record, and throws for one that can be neither loaded nor omitted. */
function useOf({ fields, shown, skip }: CsvFile, options: CsvOptions) {
  return (record: CsvRecord): "kept" | "padded" | "left out" => {
    // The engine reads an empty line as NULL if there is only one column.
    if (record.start === record.end) return fields === 1 ? "kept" : "left out";
    if (record.fields === fields && record.fault === undefined) return "kept";
    if (record.fault === undefined && record.fields < fields && options.padRows === true) return "padded";
    if (options.ignoreErrors === true && record.fault !== "quote that is not closed") return "left out";
    throw refusal(record, fields, `${shown} line ${record.line + skip}`);
  };
}

/** Returns the delimiter that the first record has and that divides the records after it most evenly. */
function delimiterOf(head: Buffer, shown: string, characters: Omit<Dialect, "delimiter">): string {
  if (/\.tsv(\.gz|\.zst)?$/i.test(shown)) return "\t";
  let best = { delimiter: ",", even: 0, fields: 1 };
  for (const delimiter of [",", ";", "\t", "|"]) {
    const counts: number[] = [];
    const reader = createCsvReader({ ...characters, delimiter }, ({ start, end, fields, fault }) => {
      if (start < end && counts.length < 100) counts.push(fault === undefined ? fields : 0);
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

function refusal({ fields: found, fault }: CsvRecord, fields: number, place: string): Error {
  if (fault === "quote that is not closed")
    return new SourceError(
      `Quote that is not closed: ${place}; correct the file, or add --quote '' to read quotes as text`,
    );
  const leave = "--ignore-errors to leave such rows out";
  if (fault === "escape before another character")
    return new SourceError(
      `Escape before another character than a quote: ${place}; remove --escape if it is text, or double it, or add ${leave}`,
    );
  if (fault !== undefined)
    return new SourceError(
      `Text after a closing quote: ${place}; double the quotes within a field, or add --escape '\\' if they have a backslash, or add --quote '' to read quotes as text, or ${leave}`,
    );
  const counted = (count: number): string => `${count} field${count === 1 ? "" : "s"}`;
  const pad = found < fields ? "--pad-rows to fill such rows with NULL, or " : "";
  return new SourceError(
    `Row with ${counted(found)} below a first row with ${counted(fields)}: ${place}; set --delimiter or --quote, or --skip if the table begins at a later line, or add ${pad}${leave}`,
  );
}

/** Returns a record with doubled quotes in place of escaped ones. */
function withDoubledQuotes(record: string, { delimiter, quote, escape: escaping }: Dialect): string {
  if (escaping === quote) return record;
  const [d, q, e] = [delimiter, quote, escaping].map(
    (text) => `\\x${text.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  const quoted = new RegExp(`((?:^|${d}) *${q})((?:[^${q}${e}]|${e}[^])*)`, "g");
  const escaped = new RegExp(`${e}([^])`, "g");
  const doubled = (_: string, character: string): string => (character === quote ? quote + quote : character);
  return record.replace(quoted, (_, start: string, text: string) => start + text.replace(escaped, doubled));
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
