import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Source, SourceConfiguration } from "./source.ts";

const oldSourceName = "snowflake-default";
const oldProviderName = "flipside";

type SourceLookup =
  | { readonly source: Source }
  | { readonly unknown: "dataSource" | "dataProvider"; readonly name: string };

export interface SourceCatalog {
  /** The source a call names by source, provider, both or neither. */
  find(dataSource: string | undefined, dataProvider: string | undefined): SourceLookup;
  /** The source of a run; undefined when it has been taken away since. */
  named(name: string): Source | undefined;
  /** Differs whenever the data does. */
  revision(source: Source): Promise<string>;
}

interface Entry {
  readonly source: Source;
  readonly names: readonly string[];
  readonly providers: readonly string[];
}

/** @throws when there is no source, or two with one name */
export function createSourceCatalog(configurations: readonly SourceConfiguration[]): SourceCatalog {
  const defaultConfiguration = configurations.find(({ isDefault }) => isDefault) ?? configurations[0];
  if (defaultConfiguration === undefined) throw new Error("A server needs at least one data source.");
  const names = new Set(configurations.map(({ name }) => name));
  if (names.size < configurations.length) throw new Error("Two data sources have the same name.");
  // The default comes first, so that it is found first where a call leaves the choice open.
  const ordered = [defaultConfiguration, ...configurations.filter((each) => each !== defaultConfiguration)];
  const entries = ordered.map((each) => toEntry(each, each.oldNames ?? each === defaultConfiguration));

  return {
    find(dataSource, dataProvider) {
      const offered = entries.filter(({ providers }) => dataProvider === undefined || providers.includes(dataProvider));
      if (offered.length === 0) return { unknown: "dataProvider", name: dataProvider ?? "" };
      const entry = offered.find(({ names }) => dataSource === undefined || names.includes(dataSource));
      return entry === undefined ? { unknown: "dataSource", name: dataSource ?? "" } : { source: entry.source };
    },
    named: (name) => entries.find(({ source }) => source.name === name)?.source,
    async revision({ path }) {
      if (path === null) return "none";
      // A missing file is a revision of its own; the run on it says what is wrong.
      const file = await stat(path, { bigint: true }).catch(() => undefined);
      return file === undefined ? "missing" : `${file.ino}-${file.size}-${file.mtimeNs}`;
    },
  };
}

function toEntry({ name, provider, path }: SourceConfiguration, oldNames: boolean): Entry {
  return {
    source: { name, provider, path: path === undefined ? null : resolve(path), lowerCaseColumns: oldNames },
    names: oldNames ? [name, oldSourceName] : [name],
    providers: oldNames ? [provider, oldProviderName] : [provider],
  };
}
