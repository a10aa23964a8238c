import { resolve } from "node:path";
import { type Context, commandFunction } from "../../command-function.ts";
import { readSettings } from "../../data-directory/configuration.ts";
import type { StoreFlags, StoreListFlags } from "../../data-directory/flags.ts";
import { withNewDirectory } from "../../data-directory/new-directory.ts";
import { UsageError, withUsageErrors } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import { type CsvFlags, csvOptions } from "../../loading/csv-flags.ts";
import { writeLoaded } from "../../loading/loaded-tables.ts";
import { optionalPackage } from "../../optional-package.ts";
import { writeDone, writeRows } from "../../output/rows.ts";

export interface AddFlags extends StoreFlags, CsvFlags {
  readonly as?: string;
  readonly table?: string;
  readonly schema?: string;
  readonly type?: readonly (readonly [string, string])[];
  readonly allText: boolean;
  readonly runAs?: "fixed" | "user";
  readonly kind?: string;
  readonly tenant?: string;
  readonly passwordFile?: string;
  readonly passwordVariable?: string;
}

export interface CheckFlags extends StoreListFlags {
  readonly user?: string;
  readonly tenant?: string;
}

type Sources = typeof import("@quern/server/sources");
type Service = typeof import("@quern/server");
type Location = Parameters<Sources["listSources"]>[0];

export const runAdd = commandFunction(async (context: Context, flags: AddFlags, source: string, from: string) => {
  if (/^jdbc:/i.test(from))
    throw new UsageError(
      "JDBC URLs are not supported; remove jdbc: and write the user before the host, such as trino://user@host:port/catalog",
    );
  const kind = flags.kind ?? (await sourcesPackage(context)).engineOfAddress(from);
  if (kind !== undefined) return addEngine(context, flags, { source, from, kind });
  if (flags.tenant !== undefined)
    throw new UsageError(
      "--tenant is for engines that are queried in place; give the keys of other tenants other sources with --sources",
    );
  if (flags.passwordFile !== undefined || flags.passwordVariable !== undefined)
    throw new UsageError(
      "--password-file and --password-variable are for engines that are queried in place; add --kind, or set PGPASSWORD",
    );
  const { as, table, schema, runAs, allText } = flags;
  const types = flags.type === undefined ? undefined : typesByColumn(flags.type);
  const csv = csvOptions(flags);
  const request = { from, as, table, schema, runAs, types, allText, ...(csv && { csv }) };
  const added = await withNewDirectory(context, flags, () =>
    onSources(context, flags, (sources, location) => sources.addToSource({ ...location, source }, request)),
  );
  await writeLoaded(context, flags, [added]);
});

async function addEngine(
  context: Context,
  flags: AddFlags,
  { source, from, kind }: { readonly source: string; readonly from: string; readonly kind: string },
): Promise<void> {
  const { runAs, tenant, as, table, schema, type, allText, passwordFile, passwordVariable } = flags;
  if (csvOptions(flags) !== undefined)
    throw new UsageError(
      "flags of CSV files are for tables that are loaded; remove them: the engine is queried in place",
    );
  if (allText || [as, table, schema, type].some((flag) => flag !== undefined))
    throw new UsageError(
      "--as, --table, --schema, --type and --all-text are for tables that are loaded; remove them: the engine is queried in place",
    );
  if (passwordFile !== undefined && passwordVariable !== undefined)
    throw new UsageError("--password-file and --password-variable cannot both be given; remove one");
  const { cwd } = context.process;
  const password =
    passwordFile !== undefined
      ? { file: resolve(cwd(), passwordFile) }
      : passwordVariable === undefined
        ? undefined
        : { variable: passwordVariable };
  const adapters = await adaptersOf(context, flags.config);
  await withNewDirectory(context, flags, () =>
    onSources(context, flags, (sources, location) =>
      sources.connectSource({ ...location, source }, { kind, from, password, runAs, tenant, adapters }),
    ),
  );
  await writeDone(context, flags, "added", [source]);
}

/** Returns the packages of further adapters that the settings name. */
async function adaptersOf(context: Context, config: string | undefined) {
  const { env, cwd } = context.process;
  if (!config && !env.QUERN_CONFIG && !env.QUERN_ADAPTERS) return undefined;
  const service = await optionalPackage<Service>("sources", "@quern/server", cwd());
  return (await readSettings(service, context, config, {})).adapters;
}

function typesByColumn(pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const columns = pairs.map(([column]) => column);
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index);
  if (repeated !== undefined) throw new UsageError(`--type is given twice for the column ${repeated}; give it once`);
  return Object.fromEntries(pairs);
}

export const runLoad = commandFunction(
  async (context: Context, flags: StoreFlags, source: string, ...tables: string[]) => {
    const loaded = await onSources(context, flags, (sources, location) =>
      sources.loadSource({ ...location, source }, tables),
    );
    await writeLoaded(context, flags, loaded);
  },
);

export const runRemove = commandFunction(
  async (context: Context, flags: StoreFlags, source: string, ...tables: string[]) => {
    await onSources(context, flags, (sources, location) => sources.removeFromSource({ ...location, source }, tables));
    await writeDone(context, flags, "removed", tables.length === 0 ? [source] : tables);
  },
);

export const runList = commandFunction(async (context: Context, flags: StoreListFlags, source?: string) => {
  const tables = await onSources(context, flags, (sources, location) => sources.listSources(location, source));
  const rows = tables.map(({ loadedAt, ...table }) => ({ ...table, loaded_at: loadedAt }));
  await writeRows(context, flags, ["source", "table", "rows", "from", "loaded_at"], rows);
});

export const runCheck = commandFunction(async (context: Context, flags: CheckFlags, source?: string) => {
  const adapters = await adaptersOf(context, flags.config);
  const tables = await onSources(context, flags, async (sources, location) => [
    ...(await sources.checkSources(location, source)),
    ...(await sources.checkEngineSources(flags.dataDir, source, {
      adapters,
      userId: flags.user,
      tenantId: flags.tenant,
    })),
  ]);
  const rows = tables.map((table) => ({ ...table }));
  await writeRows(context, flags, ["source", "table", "rows", "ok", "problem"], rows);
  if (tables.some(({ ok }) => !ok)) context.process.exitCode = exitCodes.failed;
});

function sourcesPackage({ process: { cwd } }: Context): Promise<Sources> {
  return optionalPackage("sources", "@quern/server/sources", cwd());
}

/** Calls `perform` with the location of the sources: the bucket that the settings name, or else the data directory. */
async function onSources<T>(
  context: Context,
  { dataDir, config }: StoreFlags,
  perform: (sources: Sources, location: Location) => Promise<T>,
): Promise<T> {
  const { env, cwd } = context.process;
  const sources = await sourcesPackage(context);
  let bucket: string | undefined;
  // Without these, the sources are in the data directory, and the settings need not be read.
  if (config || env.QUERN_CONFIG || env.QUERN_SOURCES) {
    const service = await optionalPackage<Service>("sources", "@quern/server", cwd());
    const { sources: configured } = await readSettings(service, context, config, {});
    if (typeof configured === "object")
      throw new UsageError(
        "the setting sources lists the data sources of the service, which has no others; change the list, or remove it to use this command",
      );
    bucket = configured;
  }
  return withUsageErrors(sources.SourceError, () => perform(sources, { dataDir, bucket }));
}
