import { resolve } from "node:path";
import type { HeldData, Source, SourceConfiguration } from "@quern/adapter";
import { holdData, revisionOf } from "@quern/duckdb";

const oldSourceName = "snowflake-default";
const oldProviderName = "flipside";

type SourceLookup =
  | { readonly source: Source }
  | { readonly unknown: "dataSource" | "dataProvider"; readonly name: string };

/** Which data there is. Any implementation passes `test/sources/catalog-contract.ts`. */
export interface SourceCatalog {
  /** The source a call names by source, provider, both or neither. */
  find(dataSource: string | undefined, dataProvider: string | undefined): SourceLookup;
  /** The source of a run; undefined when it has been taken away since. */
  named(name: string): Source | undefined;
  /** Differs whenever the data does. */
  revision(source: Source): Promise<string>;
  /** What a statement may read: it stays as it is until it is released, also when other data is loaded meanwhile. */
  hold(source: Source): Promise<HeldData>;
}

interface Entry {
  readonly source: Source;
  readonly names: readonly string[];
  readonly providers: readonly string[];
}

/**
 * @param configured asked at each look-up, so that a source that is added while the server runs is found
 * @param linkDirectory where the files that statements read are kept while they are read; on the disk of the sources
 * @throws when there is no source, or two with one name
 */
export function createSourceCatalog(
  configured: () => readonly SourceConfiguration[],
  linkDirectory: string,
): SourceCatalog {
  toEntries(configured());

  return {
    find(dataSource, dataProvider) {
      const entries = toEntries(configured());
      const offered = entries.filter(({ providers }) => dataProvider === undefined || providers.includes(dataProvider));
      if (offered.length === 0) return { unknown: "dataProvider", name: dataProvider ?? "" };
      const entry = offered.find(({ names }) => dataSource === undefined || names.includes(dataSource));
      return entry === undefined ? { unknown: "dataSource", name: dataSource ?? "" } : { source: entry.source };
    },
    named: (name) => toEntries(configured()).find(({ source }) => source.name === name)?.source,
    revision: revisionOf,
    hold: (source) => holdData(source, linkDirectory),
  };
}

function toEntries(configurations: readonly SourceConfiguration[]): readonly Entry[] {
  const defaultConfiguration = configurations.find(({ isDefault }) => isDefault) ?? configurations[0];
  if (defaultConfiguration === undefined) throw new Error("A server needs at least one data source.");
  const names = new Set(configurations.map(({ name }) => name));
  if (names.size < configurations.length) throw new Error("Two data sources have the same name.");
  // The default comes first, so that it is found first where a call leaves the choice open.
  const ordered = [defaultConfiguration, ...configurations.filter((each) => each !== defaultConfiguration)];
  return ordered.map((each) => toEntry(each, each.oldNames ?? each === defaultConfiguration));
}

function toEntry({ name, provider, path, runAs = "fixed" }: SourceConfiguration, oldNames: boolean): Entry {
  return {
    source: { name, provider, path: path === undefined ? null : resolve(path), lowerCaseColumns: oldNames, runAs },
    names: oldNames ? [name, oldSourceName] : [name],
    providers: oldNames ? [provider, oldProviderName] : [provider],
  };
}
