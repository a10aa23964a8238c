import { UsageError } from "../cli-error.ts";
import type { JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { optionalPackage } from "../optional-package.ts";
import { defaultFormat, type Format } from "../output/format.ts";
import type { OutputColumn } from "../output/row.ts";
import { rowWriter } from "../output/row-writer.ts";
import { write } from "../output/write.ts";

/** The flags of a command that works on a data directory. */
export interface PlaceFlags extends JsonFlag {
  readonly dataDir: string;
}

export interface RowsFlags extends PlaceFlags {
  readonly format?: Format;
}

type Administration = typeof import("@quern/server/administration");

/** Works on a data directory, beside the service that may run on it. What the operator can mend is told as an error of use. */
export async function administer<T>(
  command: string,
  { process }: Context,
  perform: (administration: Administration) => Promise<T>,
): Promise<T> {
  const administration = await optionalPackage<Administration>(command, "@quern/server/administration", process.cwd());
  try {
    return await perform(administration);
  } catch (error) {
    throw error instanceof administration.AdministrationError ? new UsageError(error.message) : error;
  }
}

/** Rows of named values; the names of the first are the columns. */
export async function writeRows(
  { process }: Context,
  { format = defaultFormat(process.stdout) }: RowsFlags,
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
