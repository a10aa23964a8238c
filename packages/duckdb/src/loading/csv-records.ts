/** Characters of a CSV file. Each is one byte in UTF-8. */
export interface Dialect {
  readonly delimiter: string;
  /** Empty if fields have no quotes. A quote in a quoted field is doubled. */
  readonly quote: string;
}

/** Record of a CSV file: a line, or several if a quoted field has line breaks. */
export interface CsvRecord {
  /** Bytes of the record without its line break. */
  readonly start: number;
  readonly end: number;
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly fields: number;
  /** True if a field is two quotes and nothing else. */
  readonly hasEmptyText: boolean;
  readonly fault: "text after a quote" | "quote that is not closed" | undefined;
}

/** Lines of a CSV file outside of quotes. */
export interface CsvLines {
  /** Kinds of line breaks. */
  readonly breaks: ReadonlySet<"\n" | "\r\n" | "\r">;
  readonly blankLines: number;
}

const [newline, carriageReturn, space] = [0x0a, 0x0d, 0x20];
const [fieldStart, plain, quoted, afterQuote] = [0, 1, 2, 3];

/**
 * Creates a reader of the records of a CSV file, which is passed in chunks. It shares no code with the engine, so that its
 * counts show rows that the engine loses.
 * @param onRecord receives each record that has bytes, and the buffer that has them
 */
export function createCsvReader(dialect: Dialect, onRecord: (record: CsvRecord, buffer: Buffer) => void) {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote === "" ? -1 : dialect.quote.charCodeAt(0);
  const highest = Math.max(delimiter, carriageReturn);
  const breaks = new Set<"\n" | "\r\n" | "\r">();
  let last: "\n" | "\r\n" | "\r" | undefined;
  let buffer: Buffer = Buffer.alloc(0);
  let [position, start, state, fields, line, lines, quotedAt, blankLines] = [0, 0, fieldStart, 1, 1, 1, 0, 0];
  let hasEmptyText = false;
  let fault: CsvRecord["fault"];

  const endRecord = (end: number, next: number): void => {
    if (end === start) blankLines += 1;
    else onRecord({ start, end, line, fields, hasEmptyText, fault }, buffer);
    lines += 1;
    start = next;
    fields = 1;
    hasEmptyText = false;
    line = lines;
    fault = undefined;
  };
  const read = (isLast: boolean): void => {
    // Local variables, because this loop reads every byte.
    const bytes = buffer;
    const { length } = bytes;
    let at = position;
    for (; at < length; at += 1) {
      const byte = bytes[at] as number;
      if (state === plain && byte > highest) continue;
      if (state === quoted) {
        if (byte === quote) state = afterQuote;
        else if (byte === newline) lines += 1;
      } else if (byte === delimiter || byte === newline || byte === carriageReturn) {
        // The byte after a carriage return decides if the two are one line break.
        if (byte === carriageReturn && at + 1 >= length && !isLast) break;
        if (state === afterQuote && at - quotedAt === 2) hasEmptyText = true;
        state = fieldStart;
        if (byte === delimiter) fields += 1;
        else {
          const isPair = byte === carriageReturn && bytes[at + 1] === newline;
          const kind = byte === newline ? "\n" : isPair ? "\r\n" : "\r";
          if (kind !== last) breaks.add(kind);
          last = kind;
          const end = at;
          if (isPair) at += 1;
          endRecord(end, at + 1);
        }
      } else if (state === fieldStart) {
        if (byte === quote) {
          state = quoted;
          quotedAt = at;
        } else if (byte !== space) state = plain;
      } else if (state === afterQuote) {
        if (byte === quote) state = quoted;
        else if (byte !== space) {
          state = plain;
          fault ??= "text after a quote";
        }
      }
    }
    position = at;
  };
  return {
    push(chunk: Buffer): void {
      // The buffer begins with the record in progress.
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer.subarray(start), chunk]);
      [position, quotedAt, start] = [position - start, quotedAt - start, 0];
      read(false);
    },
    end(): CsvLines {
      read(true);
      if (state === quoted) fault ??= "quote that is not closed";
      if (state === afterQuote && position - quotedAt === 2) hasEmptyText = true;
      if (position > start) endRecord(position, position);
      return { breaks, blankLines };
    },
  };
}
