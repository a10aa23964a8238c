import { anyForm, endOfForm, formTable, otherForm, type ValueForm } from "./value-form.ts";

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

const [newline, carriageReturn, space] = [0x0a, 0x0d, 0x20];
const [plain, quoted, afterQuote] = [0, 1, 2];

/**
 * Creates a reader of the records of a CSV file, which is passed in chunks. It shares no code with the engine, so that its
 * counts show rows that the engine loses.
 * @param onRecord receives each record, and the buffer that has its bytes. The record is the same object for all
 */
export function createCsvReader(
  dialect: Dialect,
  onRecord: (record: CsvRecord, buffer: Buffer) => void,
  { forms = [], nullText = [] }: ReaderOptions = {},
) {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote === "" ? -1 : dialect.quote.charCodeAt(0);
  const escaping = dialect.quote === "" ? -1 : dialect.escape.charCodeAt(0);
  const { next, longest, starts } = formTable(forms, [
    newline,
    carriageReturn,
    delimiter,
    ...(quote < 0 ? [] : [quote]),
  ]);
  const breaks = new Set<"\n" | "\r\n" | "\r">();
  const [emptyTexts, otherForms] = [new Set<number>(), new Set<number>()];
  let last: "\n" | "\r\n" | "\r" | undefined;
  let buffer: Buffer = Buffer.alloc(0);
  let [position, fieldStart, closedAt, mode, lines] = [0, 0, 0, plain as number, 1];
  let state = starts[0] ?? anyForm;
  const record = { start: 0, end: 0, line: 1, fields: 1, fault: undefined as CsvFault | undefined, isOdd: false };

  const isNullText = (end: number): boolean =>
    nullText.length > 0 && nullText.includes(buffer.toString("utf8", fieldStart, end));
  const endField = (end: number, final: number): void => {
    const size = mode === afterQuote ? closedAt - fieldStart : end - fieldStart;
    if (size === 0) {
      if (mode === afterQuote && !emptyTexts.has(record.fields - 1)) {
        emptyTexts.add(record.fields - 1);
        record.isOdd = true;
      }
    } else if (size > (longest[final] ?? -1) && (mode === afterQuote || !isNullText(end))) {
      otherForms.add(record.fields - 1);
      record.isOdd = true;
    }
    mode = plain;
  };
  const endRecord = (end: number, start: number): void => {
    record.end = end;
    onRecord(record, buffer);
    lines += 1;
    record.start = start;
    record.fields = 1;
    record.line = lines;
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

  const read = (isLast: boolean): void => {
    // Local variables, because these loops read every byte.
    const bytes = buffer;
    const { length } = bytes;
    let [at, current] = [position, state];
    while (at < length) {
      if (mode === quoted) {
        let byte = -1;
        for (; at < length; at += 1) {
          byte = bytes[at] as number;
          if (byte === quote || byte === escaping) break;
          if (byte === newline) lines += 1;
          const to = next[current * 256 + byte] as number;
          current = to === endOfForm ? textState(current) : to;
        }
        // The byte after a quote or an escape decides what it is.
        if (at >= length || (at + 1 >= length && !isLast)) break;
        const after = bytes[at + 1];
        const isEscaped =
          after === quote || (escaping !== quote && (after === escaping || after === delimiter || after === newline));
        if (byte === escaping && isEscaped) {
          if (after === newline) lines += 1;
          current = textState(current);
          at += 2;
        } else if (byte === quote) {
          mode = afterQuote;
          closedAt = at;
          at += 1;
        } else {
          record.fault ??= "escape before another character";
          at += 1;
        }
        continue;
      }
      if (mode === afterQuote) {
        while (at < length && bytes[at] === space) at += 1;
      } else
        for (; at < length; at += 1) {
          const to = next[current * 256 + (bytes[at] as number)] as number;
          if (to === endOfForm) break;
          current = to;
        }
      if (at >= length) break;
      const byte = bytes[at] as number;
      if (byte === delimiter) {
        endField(at, current);
        record.fields += 1;
        current = starts[record.fields - 1] ?? anyForm;
        at += 1;
        fieldStart = at;
      } else if (byte === newline || byte === carriageReturn) {
        // The byte after a carriage return decides if the two are one line break.
        if (byte === carriageReturn && at + 1 >= length && !isLast) break;
        endField(at, current);
        const isPair = byte === carriageReturn && bytes[at + 1] === newline;
        noteBreak(byte === newline ? "\n" : isPair ? "\r\n" : "\r");
        const end = at;
        at += isPair ? 2 : 1;
        endRecord(end, at);
        current = starts[0] ?? anyForm;
        fieldStart = at;
      } else if (mode === afterQuote) {
        record.fault ??= "text after a quote";
        mode = plain;
        current = textState(current);
      } else if (isBlank(fieldStart, at)) {
        mode = quoted;
        current = starts[record.fields - 1] ?? anyForm;
        at += 1;
        fieldStart = at;
      } else {
        current = textState(current);
        at += 1;
      }
    }
    [position, state] = [at, current];
  };
  return {
    push(chunk: Buffer): void {
      // The buffer begins with the record in progress.
      const { start } = record;
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer.subarray(start), chunk]);
      [position, fieldStart, closedAt] = [position - start, fieldStart - start, closedAt - start];
      record.start = 0;
      read(false);
    },
    end(): void {
      read(true);
      if (mode === quoted) record.fault ??= "quote that is not closed";
      if (position <= record.start) return;
      endField(position, state);
      endRecord(position, position);
    },
    /** Forgets the values before, such as those of a header. */
    forgetValues(): void {
      emptyTexts.clear();
      otherForms.clear();
    },
    /** Kinds of line breaks outside of quotes. */
    breaks,
    /** Columns with a field that is two quotes and nothing else. */
    emptyTexts,
    /** Columns with a value that does not have the form of the column. */
    otherForms,
  };
}
