import { resolve } from "node:path";
import type { Source, SourceConfiguration, SourceKind } from "@quern/adapter";
import { nearestWord } from "@quern/protocol/nearest-word";

const oldSourceName = "snowflake-default";
const oldProviderName = "flipside";

type SourceLookup =
  | { readonly source: Source }
  | { readonly unknown: "dataSource" | "dataProvider"; readonly name: string };

/** Data sources of the service. An implementation passes `test/sources/catalog-contract.ts`. */
export interface SourceCatalog {
  /** Finds the source that a call names by source, provider, both or neither. */
  find(dataSource: string | undefined, dataProvider: string | undefined): SourceLookup;
  /** Lists all sources, or those of a provider; the default comes first. */
  all(dataProvider: string | undefined): readonly Source[];
  /** Returns a source by its name; undefined if it has been removed. */
  named(name: string): Source | undefined;
  /** Finds sources that were added elsewhere a moment ago. */
  refresh(): Promise<void>;
  /** Returns the adapter of a source of the catalog. */
  kindOf(source: Source): SourceKind;
}

interface Entry {
  readonly source: Source;
  readonly names: readonly string[];
  readonly providers: readonly string[];
}

/**
 * @param configured called at each lookup, so that a source that is added while the server runs is found
 * @param kinds adapters by the name that `kind` of a source gives
 * @param refresh brings the answers of `configured` up to date. @default they always are
 * @throws if there is no source, two have the same name, or no adapter serves the kind of one
 */
export function createSourceCatalog(
  configured: () => readonly SourceConfiguration[],
  kinds: ReadonlyMap<string, SourceKind>,
  refresh = async (): Promise<void> => {},
): SourceCatalog {
  function kindOf({ name, kind }: Pick<Source, "name" | "kind">): SourceKind {
    const found = kinds.get(kind);
    if (found !== undefined) return found;
    const known = [...kinds.keys()];
    const nearest = nearestWord(kind, known);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    throw new Error(`Unknown kind of the data source ${name}: ${kind}; use one of ${known.join(", ")}.${hint}`);
  }

  for (const { source } of toEntries(configured())) kindOf(source);

  return {
    kindOf,
    refresh,
    find(dataSource, dataProvider) {
      const entries = toEntries(configured());
      const offered = entries.filter(({ providers }) => dataProvider === undefined || providers.includes(dataProvider));
      if (offered.length === 0) return { unknown: "dataProvider", name: dataProvider ?? "" };
      const entry = offered.find(({ names }) => dataSource === undefined || names.includes(dataSource));
      return entry === undefined ? { unknown: "dataSource", name: dataSource ?? "" } : { source: entry.source };
    },
    all: (dataProvider) =>
      toEntries(configured())
        .filter(({ providers }) => dataProvider === undefined || providers.includes(dataProvider))
        .map(({ source }) => source),
    named: (name) => toEntries(configured()).find(({ source }) => source.name === name)?.source,
  };
}

function toEntries(configurations: readonly SourceConfiguration[]): readonly Entry[] {
  const defaultConfiguration = configurations.find(({ isDefault }) => isDefault) ?? configurations[0];
  if (defaultConfiguration === undefined)
    throw new Error("No data source is configured; add one to the setting sources.");
  const names = new Set(configurations.map(({ name }) => name));
  if (names.size < configurations.length) {
    const repeated = configurations.find(
      ({ name }, index) => configurations.findIndex((each) => each.name === name) < index,
    );
    throw new Error(`Two data sources have the same name: ${repeated?.name}; rename one.`);
  }
  // The default comes first, so that a call that names no source finds it.
  const ordered = [defaultConfiguration, ...configurations.filter((each) => each !== defaultConfiguration)];
  return ordered.map((each) => toEntry(each, each.oldNames ?? each === defaultConfiguration));
}

function toEntry(configuration: SourceConfiguration, oldNames: boolean): Entry {
  const { name, provider } = configuration;
  return {
    source: toSource(configuration, oldNames),
    names: oldNames ? [name, oldSourceName] : [name],
    providers: oldNames ? [provider, oldProviderName] : [provider],
  };
}

/** Returns the source of a configuration. */
export function toSource(configuration: SourceConfiguration, lowerCaseColumns: boolean): Source {
  const { name, provider, kind = "duckdb", path, address, password, runAs = "fixed", tenant } = configuration;
  return {
    name,
    provider,
    kind,
    path: path === undefined ? null : resolve(path),
    ...(address !== undefined && { address }),
    ...(password !== undefined && { password }),
    lowerCaseColumns,
    runAs,
    ...(tenant !== undefined && { tenant }),
  };
}

/** Returns columns under the names that callers of the source see. */
export function columnsShown<Column extends { readonly name: string }>(
  { lowerCaseColumns }: Source,
  columns: readonly Column[],
): readonly Column[] {
  return lowerCaseColumns ? columns.map((column) => ({ ...column, name: column.name.toLowerCase() })) : columns;
}
