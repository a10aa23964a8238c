import type { HeldData } from "@quern/adapter";

/** A DuckDB file as statements see it: a catalog, which qualifies its tables as `name.schema.table`. */
export interface Database {
  readonly name: string;
  readonly path: string;
}

/** Files of a source, which stay as they are until they are released. */
export interface HeldDatabases extends HeldData {
  /** The first is the one that names without a catalog mean. */
  readonly databases: readonly Database[];
}
