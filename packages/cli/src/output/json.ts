import type { OutputColumn, Row, RowWriter } from "./row.ts";

/** Writes one JSON array with an object for each row, each on its own line. */
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

/** Writes JSON Lines: one object a line. */
export function jsonlWriter(columns: readonly OutputColumn[]): RowWriter {
  const text = rowText(columns);
  return { head: () => "", page: (rows) => rows.map((row) => `${text(row)}\n`).join(""), tail: () => "" };
}

const lineFeed = 10;

/** Converts JSON Lines of a download to the array that `jsonWriter` writes. JSON strings contain no line ends, so each LF ends an object. */
export async function* jsonArrayOf(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  // The separator before the next object waits until there is one.
  let separator = "[\n";
  for await (const chunk of lines) {
    const endsLine = chunk.at(-1) === lineFeed;
    // latin1 maps each byte to one character, so that UTF-8 sequences stay intact.
    const text = Buffer.from(endsLine ? chunk.subarray(0, -1) : chunk).toString("latin1");
    yield Buffer.from(separator + text.replaceAll("\n", ",\n"), "latin1");
    separator = endsLine ? ",\n" : "";
  }
  yield Buffer.from(separator === "[\n" ? "[]\n" : "\n]\n");
}

function rowText(columns: readonly OutputColumn[]): (row: Row) => string {
  const keys = columns.map(({ key }) => JSON.stringify(key));
  return (row) => `{${keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(",")}}`;
}
