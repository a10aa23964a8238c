import { type Context, commandFunction } from "../../command-function.ts";
import type { DataDirFlags, ListFlags } from "../../data-directory/flags.ts";
import { withNewDirectory } from "../../data-directory/new-directory.ts";
import { UsageError, withUsageErrors } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import { optionalPackage } from "../../optional-package.ts";
import { writeDone, writeRows } from "../../output/rows.ts";

export interface AddFlags extends DataDirFlags {
  readonly as?: string;
  readonly table?: string;
  readonly schema?: string;
  readonly type?: readonly (readonly [string, string])[];
  readonly allText: boolean;
  readonly runAs?: "fixed" | "user";
}

type Sources = typeof import("@quern/server/sources");

export const runAdd = commandFunction(async (context: Context, flags: AddFlags, source: string, from: string) => {
  const { dataDir, as, table, schema, runAs, allText } = flags;
  const types = flags.type === undefined ? undefined : typesByColumn(flags.type);
  const request = { from, as, table, schema, runAs, types, allText };
  const added = await withNewDirectory(context, flags, () =>
    onSources(context, (sources) => sources.addToSource({ dataDir, source }, request)),
  );
  await writeDone(context, flags, "loaded", [added]);
});

function typesByColumn(pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const columns = pairs.map(([column]) => column);
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index);
  if (repeated !== undefined) throw new UsageError(`--type is given twice for the column ${repeated}; give it once`);
  return Object.fromEntries(pairs);
}

export const runLoad = commandFunction(
  async (context: Context, flags: DataDirFlags, source: string, ...tables: string[]) => {
    const { dataDir } = flags;
    const loaded = await onSources(context, (sources) => sources.loadSource({ dataDir, source }, tables));
    await writeDone(context, flags, "loaded", loaded);
  },
);

export const runRemove = commandFunction(
  async (context: Context, flags: DataDirFlags, source: string, ...tables: string[]) => {
    const { dataDir } = flags;
    await onSources(context, (sources) => sources.removeFromSource({ dataDir, source }, tables));
    await writeDone(context, flags, "removed", tables.length === 0 ? [source] : tables);
  },
);

export const runList = commandFunction(async (context: Context, flags: ListFlags, source?: string) => {
  const tables = await onSources(context, (sources) => sources.listSources(flags.dataDir, source));
  const rows = tables.map(({ loadedAt, ...table }) => ({ ...table, loaded_at: loadedAt }));
  await writeRows(context, flags, ["source", "table", "rows", "from", "loaded_at"], rows);
});

export const runCheck = commandFunction(async (context: Context, flags: ListFlags, source?: string) => {
  const tables = await onSources(context, (sources) => sources.checkSources(flags.dataDir, source));
  const rows = tables.map((table) => ({ ...table }));
  await writeRows(context, flags, ["source", "table", "rows", "ok", "problem"], rows);
  if (tables.some(({ ok }) => !ok)) context.process.exitCode = exitCodes.failed;
});

async function onSources<T>({ process }: Context, perform: (sources: Sources) => Promise<T>): Promise<T> {
  const sources = await optionalPackage<Sources>("sources", "@quern/server/sources", process.cwd());
  return withUsageErrors(sources.SourceError, () => perform(sources));
}
