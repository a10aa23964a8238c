import type { Context } from "../command-function.ts";
import type { JsonFlag } from "../flags.ts";
import { printable } from "../output/row.ts";
import { write } from "../output/target.ts";

type LoadedTables = import("@quern/server/sources").LoadedTables;

/** Writes a line for each load, or the names and details as JSON. */
export async function writeLoaded(context: Context, { json }: JsonFlag, loads: readonly LoadedTables[]): Promise<void> {
  const { stdout } = context.process;
  const lines = json
    ? [JSON.stringify({ loaded: loads.map(({ name }) => name), details: loads.map(detailsOf) })]
    : loads.map((load) => `loaded ${printable(load.name)}: ${sizeText(load)}`);
  await write(stdout, lines.map((line) => `${line}\n`).join(""));
}

function detailsOf({ name, padded, ignored, files, skipped, cut, ...size }: LoadedTables): object {
  const report =
    files === undefined
      ? {}
      : { files, skipped_files: skipped, padded_rows: padded, ignored_rows: ignored, cut_columns: cut };
  return { name, ...size, ...report };
}

function sizeText({
  tables,
  rows,
  columns,
  files = 0,
  skipped = 0,
  padded = 0,
  ignored = 0,
  cut = [],
}: LoadedTables): string {
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  return [
    tables === 1 ? "" : `${counted(tables, "table")}, `,
    `${counted(rows, "row")}, ${counted(columns, "column")}`,
    files > 1 || skipped > 0 ? `; ${counted(files, "file")} read` : "",
    skipped > 0 ? `, ${skipped} skipped (names that begin with . or _)` : "",
    padded > 0 ? `; ${counted(padded, "short row")} padded with NULL` : "",
    ignored > 0 ? `; ${counted(ignored, "row")} left out` : "",
    cut.length > 0 ? `; times cut to microseconds: ${cut.map(printable).join(", ")}` : "",
  ].join("");
}
