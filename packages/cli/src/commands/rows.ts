import type { Context } from "../context.ts";
import { defaultFormat } from "../output/format.ts";
import type { OutputColumn } from "../output/row.ts";
import { rowWriter } from "../output/row-writer.ts";
import { write } from "../output/write.ts";
import type { FormatFlag } from "./place-flags.ts";

/** Prints the named values of each row as a table of these columns. */
export async function writeRows(
  { process }: Context,
  { format = defaultFormat(process.stdout) }: FormatFlag,
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns: OutputColumn[] = names.map((name) => {
    const type = rows.some((row) => typeof row[name] === "number") ? "number" : "string";
    return { name, key: name, type };
  });
  const writer = rowWriter(format, columns);
  const cells = rows.map((row) => names.map((name) => row[name] ?? null));
  await write(process.stdout, writer.head() + writer.page(cells) + writer.tail());
}

export function timeText(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
