import { anyForm, endOfForm, type FormTable, formTable, otherForm, type ValueForm } from "./value-form.ts";

/** Characters of a CSV file. Each is one byte in UTF-8. */
export interface Dialect {
  readonly delimiter: string;
  /** Empty if fields have no quotes. */
  readonly quote: string;
  /** Character before a quote in a quoted field. */
  readonly escape: string;
}

/** Record of a CSV file: a line, or several if a quoted field has line breaks. */
export interface CsvRecord {
  /** Bytes of the record without its line break. A blank line has none. */
  readonly start: number;
  readonly end: number;
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly fields: number;
  readonly fault: CsvFault | undefined;
  /** True if a value does not have the form of its column, or is the first empty text in quotes of its column. */
  readonly isOdd: boolean;
}

type CsvFault = "text after a quote" | "escape before another character" | "quote that is not closed";

/** Options of a reader. */
interface ReaderOptions {
  /** Forms of the columns. @default none */
  readonly forms?: readonly (ValueForm | undefined)[];
  /** Texts without quotes that have the form of each column. @default none */
  readonly nullText?: readonly string[];
}

type MutableRecord = { -readonly [K in keyof CsvRecord]: CsvRecord[K] };

/** Where a reader is in its buffer, and the records that it has only counted. */
interface Cursor {
  at: number;
  /** State of the form of the present value. */
  state: number;
  fieldStart: number;
  /** Present line, from 1. */
  line: number;
  counted: number;
  /** Bytes of the longest counted record. */
  longest: number;
}

const [newline, carriageReturn, space] = [0x0a, 0x0d, 0x20];
const [plain, quoted, afterQuote] = [0, 1, 2];

/**
 * Moves to the next byte that is not plain: over fields without quotes that have the form of their column, and over
 * records with so many of them. It reads nearly every byte of a file, so all that its loop uses is a local variable.
 */
function skipPlain(
  cursor: Cursor,
  record: MutableRecord,
  bytes: Buffer,
  delimiter: number,
  { next, longest, starts }: FormTable,
  fieldsOfPlainRecord: number,
): void {
  let { at, state, fieldStart, counted, longest: longestRecord } = cursor;
  let { start, fields } = record;
  const first = starts.length > 0 ? (starts[0] as number) : anyForm;
  const { length } = bytes;
  for (; at < length; at += 1) {
    const byte = bytes[at] as number;
    const to = next[state * 256 + byte] as number;
    if (to === state) continue;
    if (to !== endOfForm) {
      state = to;
      continue;
    }
    if (at - fieldStart > (longest[state] as number)) break;
    if (byte === delimiter) {
      state = fields < starts.length ? (starts[fields] as number) : anyForm;
      fields += 1;
    } else if (byte === newline && fields === fieldsOfPlainRecord) {
      counted += 1;
      if (at - start > longestRecord) longestRecord = at - start;
      start = at + 1;
      state = first;
      fields = 1;
    } else break;
    fieldStart = at + 1;
  }
  if (counted > cursor.counted) {
    cursor.line += counted - cursor.counted;
    record.line = cursor.line;
    cursor.counted = counted;
    cursor.longest = longestRecord;
  }
  cursor.at = at;
  cursor.state = state;
  cursor.fieldStart = fieldStart;
  record.start = start;
  record.fields = fields;
}

/**
 * Creates a reader of the records of a CSV file, which is passed in chunks. It shares no code with the engine, so that its
 * counts show rows that the engine loses.
 * @param onRecord receives each record that is not only counted, and the buffer that has its bytes. Both are used again
 */
export function createCsvReader(
  dialect: Dialect,
  onRecord: (record: CsvRecord, buffer: Buffer) => void,
  { forms = [], nullText = [] }: ReaderOptions = {},
) {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote === "" ? -1 : dialect.quote.charCodeAt(0);
  const escaping = dialect.quote === "" ? -1 : dialect.escape.charCodeAt(0);
  const table = formTable(forms, [newline, carriageReturn, delimiter, ...(quote < 0 ? [] : [quote])]);
  const { next, longest, starts } = table;
  const breaks = new Set<"\n" | "\r\n" | "\r">();
  const [emptyTexts, otherForms] = [new Set<number>(), new Set<number>()];
  let last: "\n" | "\r\n" | "\r" | undefined;
  let [store, buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  let [closedAt, mode, fieldsOfPlainRecord] = [0, plain as number, 0];
  const record: MutableRecord = { start: 0, end: 0, line: 1, fields: 1, fault: undefined, isOdd: false };
  const cursor: Cursor = { at: 0, state: starts[0] ?? anyForm, fieldStart: 0, line: 1, counted: 0, longest: 0 };

  const isNullText = (end: number): boolean =>
    nullText.length > 0 && nullText.includes(buffer.toString("utf8", cursor.fieldStart, end));
  const endField = (end: number): void => {
    const size = (mode === afterQuote ? closedAt : end) - cursor.fieldStart;
    if (size === 0) {
      if (mode === afterQuote && !emptyTexts.has(record.fields - 1)) {
        emptyTexts.add(record.fields - 1);
        record.isOdd = true;
      }
    } else if (size > (longest[cursor.state] ?? -1) && (mode === afterQuote || !isNullText(end))) {
      otherForms.add(record.fields - 1);
      record.isOdd = true;
    }
    mode = plain;
  };
  const beginField = (fields: number, start: number): void => {
    record.fields = fields;
    cursor.state = starts[fields - 1] ?? anyForm;
    cursor.at = start;
    cursor.fieldStart = start;
  };
  const endRecord = (end: number, start: number): void => {
    record.end = end;
    onRecord(record, buffer);
    cursor.line += 1;
    record.start = start;
    record.line = cursor.line;
    record.fault = undefined;
    record.isOdd = false;
  };
  const noteBreak = (kind: "\n" | "\r\n" | "\r"): void => {
    if (kind !== last) breaks.add(kind);
    last = kind;
  };
  const isBlank = (from: number, end: number): boolean => {
    for (let at = from; at < end; at += 1) if (buffer[at] !== space) return false;
    return true;
  };
  /** Returns the state after a byte that is text here, but ends a value outside of quotes. */
  const textState = (before: number): number => (before === anyForm ? anyForm : otherForm);

  /** Moves over the text of a field in quotes, and over its last quote. Returns false if it needs more bytes. */
  const readQuoted = (isLast: boolean): boolean => {
    const bytes = buffer;
    const { length } = bytes;
    let { at, state } = cursor;
    let byte = -1;
    for (; at < length; at += 1) {
      byte = bytes[at] as number;
      if (byte === quote || byte === escaping) break;
      if (byte === newline) cursor.line += 1;
      const to = next[state * 256 + byte] as number;
      state = to === endOfForm ? textState(state) : to;
    }
    cursor.at = at;
    cursor.state = state;
    // The byte after a quote or an escape decides what it is.
    if (at >= length || (at + 1 >= length && !isLast)) return false;
    const after = bytes[at + 1];
    const isEscaped =
      after === quote || (escaping !== quote && (after === escaping || after === delimiter || after === newline));
    if (byte === escaping && isEscaped) {
      if (after === newline) cursor.line += 1;
      cursor.state = textState(state);
      cursor.at += 2;
      return true;
    }
    if (byte === quote) {
      mode = afterQuote;
      closedAt = at;
    } else record.fault ??= "escape before another character";
    cursor.at += 1;
    return true;
  };

  const read = (isLast: boolean): void => {
    const bytes = buffer;
    const { length } = bytes;
    while (cursor.at < length) {
      if (mode === quoted) {
        if (!readQuoted(isLast)) break;
        continue;
      }
      if (mode === afterQuote) while (cursor.at < length && bytes[cursor.at] === space) cursor.at += 1;
      else {
        const isPlain = !record.isOdd && record.fault === undefined;
        skipPlain(cursor, record, bytes, delimiter, table, isPlain ? fieldsOfPlainRecord : 0);
      }
      const { at } = cursor;
      if (at >= length) break;
      const byte = bytes[at] as number;
      if (byte === delimiter) {
        endField(at);
        beginField(record.fields + 1, at + 1);
      } else if (byte === newline || byte === carriageReturn) {
        // The byte after a carriage return decides if the two are one line break.
        if (byte === carriageReturn && at + 1 >= length && !isLast) break;
        endField(at);
        const isPair = byte === carriageReturn && bytes[at + 1] === newline;
        noteBreak(byte === newline ? "\n" : isPair ? "\r\n" : "\r");
        const start = at + (isPair ? 2 : 1);
        endRecord(at, start);
        beginField(1, start);
      } else if (mode === afterQuote) {
        record.fault ??= "text after a quote";
        mode = plain;
        cursor.state = textState(cursor.state);
      } else if (isBlank(cursor.fieldStart, at)) {
        mode = quoted;
        beginField(record.fields, at + 1);
      } else {
        cursor.state = textState(cursor.state);
        cursor.at += 1;
      }
    }
  };
  return {
    push(chunk: Buffer): void {
      // The buffer begins with the record in progress.
      const { start } = record;
      const rest = buffer.subarray(start);
      const size = rest.length + chunk.length;
      if (size > store.length) store = Buffer.allocUnsafe(2 * size);
      store.set(rest);
      store.set(chunk, rest.length);
      buffer = store.subarray(0, size);
      cursor.at -= start;
      cursor.fieldStart -= start;
      closedAt -= start;
      record.start = 0;
      read(false);
    },
    end(): void {
      read(true);
      if (mode === quoted) record.fault ??= "quote that is not closed";
      if (cursor.at <= record.start) return;
      endField(cursor.at);
      endRecord(cursor.at, cursor.at);
    },
    /** Forgets the values before, such as those of a header. */
    forgetValues(): void {
      emptyTexts.clear();
      otherForms.clear();
    },
    /**
     * From now on, only counts records with this number of fields, without quotes, whose values have the form of their
     * columns.
     */
    countPlain(fields: number): void {
      fieldsOfPlainRecord = fields;
    },
    /** Records that were only counted, and bytes of the longest of them. */
    get plain(): { readonly records: number; readonly longest: number } {
      return { records: cursor.counted, longest: cursor.longest };
    },
    /** Kinds of line breaks outside of quotes. */
    get breaks(): ReadonlySet<"\n" | "\r\n" | "\r"> {
      return cursor.counted > 0 ? breaks.add("\n") : breaks;
    },
    /** Columns with a field that is two quotes and nothing else. */
    emptyTexts,
    /** Columns with a value that does not have the form of the column. */
    otherForms,
  };
}
