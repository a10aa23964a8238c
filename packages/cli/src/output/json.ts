import type { OutputColumn, Row, RowWriter } from "./row.ts";

/** One array of objects, a row a line. */
export function jsonWriter(columns: readonly OutputColumn[]): RowWriter {
  const text = rowText(columns);
  let separator = "[\n";
  return {
    head: () => "",
    page(rows) {
      const lines = rows.map((row) => {
        const line = separator + text(row);
        separator = ",\n";
        return line;
      });
      return lines.join("");
    },
    tail: () => (separator === ",\n" ? "\n]\n" : "[]\n"),
  };
}

/** An object a line. */
export function jsonlWriter(columns: readonly OutputColumn[]): RowWriter {
  const text = rowText(columns);
  return { head: () => "", page: (rows) => rows.map((row) => `${text(row)}\n`).join(""), tail: () => "" };
}

const lineFeed = 10;

/** Makes lines of JSON, as a download has them, the array that `jsonWriter` writes. Strings in JSON have no line ends. */
export async function* jsonArrayOf(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  // The end of a line is held back until it is known whether another line follows.
  let held = "[\n";
  for await (const chunk of lines) {
    const endsLine = chunk.at(-1) === lineFeed;
    // As latin1 each byte is a character, which keeps characters of several bytes as they are.
    const text = Buffer.from(endsLine ? chunk.subarray(0, -1) : chunk).toString("latin1");
    yield Buffer.from(held + text.replaceAll("\n", ",\n"), "latin1");
    held = endsLine ? ",\n" : "";
  }
  yield Buffer.from(held === "[\n" ? "[]\n" : "\n]\n");
}

function rowText(columns: readonly OutputColumn[]): (row: Row) => string {
  const keys = columns.map(({ key }) => JSON.stringify(key));
  return (row) => `{${keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(",")}}`;
}
