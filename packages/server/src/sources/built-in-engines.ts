interface BuiltInEngine {
  /** Form of the addresses of its sources, for messages. */
  readonly addressForm: string;
  /** True if `quern sources add` loads the tables of such an address, unless `--kind` is given. */
  readonly isLoaded?: boolean;
}

/** Engines besides DuckDB whose adapter is a package of Quern, `@quern/<name>`, by the name that `kind` of a source gives. */
export const builtInEngines: Readonly<Record<string, BuiltInEngine>> = {
  clickhouse: { addressForm: "clickhouse://user@host:port/database" },
  postgres: { addressForm: "postgres://user@host:port/database", isLoaded: true },
  trino: { addressForm: "trino://user@host:port/catalog" },
};

/** Packages of adapters by the name that `kind` of a source gives. */
export const builtInAdapters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(builtInEngines).map((name) => [name, `@quern/${name}`]),
);

/** Returns the engine that an address names, such as `trino`. Undefined if `quern sources add` loads its tables. */
export function engineOfAddress(address: string): string | undefined {
  return Object.entries(builtInEngines).find(
    ([name, { isLoaded = false }]) => !isLoaded && RegExp(`^${name}s?://`).test(address),
  )?.[0];
}
