import type { JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { chosenFormat } from "../output/format.ts";
import type { OutputColumn } from "../output/row.ts";
import { rowWriter } from "../output/row-writer.ts";
import { write } from "../output/write.ts";
import type { FormatFlags } from "./place-flags.ts";

/** Prints the named values of each row as a table of these columns. */
export async function writeRows(
  { process: { stdout } }: Context,
  flags: FormatFlags,
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns: OutputColumn[] = names.map((name) => {
    const type = rows.some((row) => typeof row[name] === "number") ? "number" : "string";
    return { name, key: name, type };
  });
  const terminalWidth = stdout.isTTY && !flags.full ? stdout.columns : undefined;
  const writer = rowWriter(chosenFormat(flags, stdout), columns, { terminalWidth });
  const cells = rows.map((row) => names.map((name) => row[name] ?? null));
  await write(stdout, writer.head() + writer.page(cells) + writer.tail());
}

/** Prints what a command has changed: a line for each, `removed orders`, or one JSON object. */
export async function writeDone(
  { process: { stdout } }: Context,
  { json }: JsonFlag,
  verb: string,
  names: readonly string[],
): Promise<void> {
  const lines = json ? [JSON.stringify({ [verb]: names })] : names.map((name) => `${verb} ${name}`);
  await write(stdout, lines.map((line) => `${line}\n`).join(""));
}

export function timeText(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
