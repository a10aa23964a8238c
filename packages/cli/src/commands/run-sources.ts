import { UsageError } from "../cli-error.ts";
import { commandFunction, type JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-code.ts";
import { optionalPackage } from "../optional-package.ts";
import { defaultFormat, type Format } from "../output/format.ts";
import type { OutputColumn } from "../output/row.ts";
import { rowWriter } from "../output/row-writer.ts";
import { write } from "../output/write.ts";

export interface PlaceFlags extends JsonFlag {
  readonly dataDir: string;
}

export interface AddFlags extends PlaceFlags {
  readonly as?: string;
  readonly table?: string;
  readonly schema?: string;
  readonly runAs?: "fixed" | "user";
}

export interface RowsFlags extends PlaceFlags {
  readonly format?: Format;
}

type Sources = typeof import("@quern/server/sources");

export const runAdd = commandFunction(async (context: Context, flags: AddFlags, source: string, from: string) => {
  const { dataDir, as, table, schema, runAs } = flags;
  const place = await onSources(context, (sources) =>
    sources.addToSource({ dataDir, source }, { from, as, table, schema, runAs }),
  );
  await write(context.process.stdout, `loaded ${place}\n`);
});

export const runLoad = commandFunction(
  async (context: Context, { dataDir }: PlaceFlags, source: string, ...tables: string[]) => {
    const loaded = await onSources(context, (sources) => sources.loadSource({ dataDir, source }, tables));
    for (const place of loaded) await write(context.process.stdout, `loaded ${place}\n`);
  },
);

export const runRemove = commandFunction(
  async (context: Context, { dataDir }: PlaceFlags, source: string, ...tables: string[]) => {
    await onSources(context, (sources) => sources.removeFromSource({ dataDir, source }, tables));
    for (const place of tables.length === 0 ? [source] : tables)
      await write(context.process.stdout, `removed ${place}\n`);
  },
);

export const runList = commandFunction(async (context: Context, flags: RowsFlags, source?: string) => {
  const tables = await onSources(context, (sources) => sources.listSources(flags.dataDir, source));
  const columns = ["source", "table", "rows", "from", "loaded_at"];
  const rows = tables.map((table) => [table.source, table.table, table.rows, table.from, table.loadedAt]);
  await writeTable(context, flags, columns, rows);
});

export const runCheck = commandFunction(async (context: Context, flags: RowsFlags, source?: string) => {
  const tables = await onSources(context, (sources) => sources.checkSources(flags.dataDir, source));
  const rows = tables.map((table) => [table.source, table.table, table.rows, table.ok, table.problem]);
  await writeTable(context, flags, ["source", "table", "rows", "ok", "problem"], rows);
  if (tables.some(({ ok }) => !ok)) context.process.exitCode = exitCodes.failed;
});

/** What the operator can mend is told as an error of use. */
async function onSources<T>(context: Context, perform: (sources: Sources) => Promise<T>): Promise<T> {
  const sources = await optionalPackage<Sources>("sources", "@quern/server/sources", context.process.cwd());
  try {
    return await perform(sources);
  } catch (error) {
    throw error instanceof sources.SourceError ? new UsageError(error.message) : error;
  }
}

async function writeTable(
  { process }: Context,
  { format = defaultFormat(process.stdout) }: RowsFlags,
  names: readonly string[],
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const columns: OutputColumn[] = names.map((name) => ({
    name,
    key: name,
    type: name === "rows" ? "number" : "string",
  }));
  const writer = rowWriter(format, columns);
  await write(process.stdout, writer.head() + writer.page(rows) + writer.tail());
}
