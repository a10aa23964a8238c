/** Types of the columns of files, in place of the types that the engine finds. */
export interface ColumnTypes {
  /** By name of the column, such as `{ code: "VARCHAR" }`. */
  readonly types?: Readonly<Record<string, string>> | undefined;
  /** Loads each column without a type of its own as text. @default false */
  readonly allText?: boolean | undefined;
}

/** Where tables come from, as the manifest of a source keeps it. A password is never part of it. */
export type Origin =
  /** A file, a folder or a glob; which files there are is found at each load. */
  | ({ readonly kind: "files"; readonly path: string } & ColumnTypes)
  /** One table of a DuckDB file, or all that it has where `table` is left out. */
  | { readonly kind: "duckdb"; readonly path: string; readonly schema?: string; readonly table?: string }
  /** One table of a PostgreSQL database, or all of its schema where `table` is left out. */
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string; readonly table?: string };

/** A place in a source, and what is loaded into it. A missing part stands for all that the origin has. */
export interface TableLoad {
  readonly catalog: string;
  readonly schema: string | null;
  readonly table: string | null;
  readonly origin: Origin;
  /** ISO 8601. */
  readonly loadedAt: string;
}

/** Something that the operator can mend; the message says how. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** The place as its tables are called in SQL, such as `shop.main.orders`. */
export function qualifiedName({ catalog, schema, table }: Pick<TableLoad, "catalog" | "schema" | "table">): string {
  return [catalog, schema, table].filter((part) => part !== null).join(".");
}

/** The origin as the operator typed it, more or less. */
export function originText(origin: Origin): string {
  switch (origin.kind) {
    case "files":
      return origin.path;
    case "duckdb":
      return [origin.path, origin.schema, origin.table].filter((part) => part !== undefined).join(" ");
    case "postgres":
      return [`${origin.url} ${origin.schema}`, origin.table].filter((part) => part !== undefined).join(".");
  }
}
