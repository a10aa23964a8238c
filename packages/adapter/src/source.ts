/** Identity under which statements run on a source: one for all users (`fixed`), or the user of the call (`user`). */
export type RunAs = "fixed" | "user";

/** Configuration of a data source. */
export interface SourceConfiguration {
  readonly name: string;
  readonly provider: string;
  /** Name of the adapter that serves the source. @default "duckdb" */
  readonly kind?: string;
  /**
   * For the kind `duckdb`: DuckDB file with the data, or folder in which `quern sources` stores it. The service only
   * reads it. Without a path, statements run on an empty database. Another kind may use, ignore or refuse it.
   */
  readonly path?: string;
  /**
   * For engines that are reached over the network: address without a password, such as
   * `trino://reader@trino.example.org:8443/tpch/tiny`. The adapter says which parts it has. The service replaces
   * `{tenant}` by the tenant of each call, also in the path of the file with the password.
   */
  readonly address?: string;
  /** Place of the password of the engine: a file, or a variable of the environment of the service. @default no password */
  readonly password?: SecretPlace;
  /** Serves calls that name no source. @default true for the first source if no source has it */
  readonly isDefault?: boolean;
  /**
   * Serves clients of the old service, the closed hosted service with the same interface. Calls can then also name the
   * source by the data source and provider of the old service, and column names are returned in lower case.
   * @default true for the default source, false for others
   */
  readonly oldNames?: boolean;
  /**
   * Set `user` if the data that a statement reads depends on the user: users then never share a run. With `fixed`,
   * users of a tenant can share the runs of equal statements.
   * @default "fixed"
   */
  readonly runAs?: RunAs;
  /**
   * Only tenant that may query the source; others do not find it. A source with an address and `runAs: "user"` has it, or
   * `{tenant}` beside `{user}` in the address, because users of two tenants can have the same id.
   * @default all tenants
   */
  readonly tenant?: string;
}

/** Place of a secret, which itself is never part of the configuration. */
export type SecretPlace = { readonly file: string } | { readonly variable: string };

/** Data source of the service. */
export interface Source {
  readonly name: string;
  readonly provider: string;
  /** See {@link SourceConfiguration.kind}. */
  readonly kind: string;
  readonly path: string | null;
  /** See {@link SourceConfiguration.address}. @default no address */
  readonly address?: string;
  /** See {@link SourceConfiguration.password}. @default no password */
  readonly password?: SecretPlace;
  /** True if column names are returned in lower case. */
  readonly lowerCaseColumns: boolean;
  /** See {@link SourceConfiguration.runAs}. @default "fixed" */
  readonly runAs?: RunAs;
  /** See {@link SourceConfiguration.tenant}. @default all tenants */
  readonly tenant?: string;
}

/** Snapshot of the data of a source. */
export interface HeldData {
  readonly revision: string;
  /** Releases the snapshot. Until then its data stays, even if new data is loaded. */
  release(): Promise<void>;
}
