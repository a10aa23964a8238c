/** Types of columns of files and of PostgreSQL, which replace those that the engine detects or PostgreSQL declares. */
export interface ColumnTypes {
  /** Type by column name, such as `{ code: "VARCHAR" }`. */
  readonly types?: Readonly<Record<string, string>> | undefined;
  /** Loads each column that `types` does not name as text. @default false */
  readonly allText?: boolean | undefined;
}

/** Form of CSV files. What is not given is detected. */
export interface CsvOptions {
  /** Character between fields. @default tab for `.tsv`, else the one of comma, semicolon, tab and bar that fits */
  readonly delimiter?: string | undefined;
  /** Character around fields that may have delimiters and line breaks; empty for none. @default a double quote */
  readonly quote?: string | undefined;
  /** Character before a quote in a field with quotes. @default the quote */
  readonly escape?: string | undefined;
  /** True if the first row has the names of the columns. @default detected from the types of the values */
  readonly header?: boolean | undefined;
  /** Lines above the table that are skipped. @default 0 */
  readonly skip?: number | undefined;
  /** Texts of fields without quotes that mean NULL. @default the empty text */
  readonly nullText?: readonly string[] | undefined;
  /** Encoding, as a label of the WHATWG standard. @default UTF-8, or UTF-16 with a byte order mark */
  readonly encoding?: string | undefined;
  /** Decimal separator of numbers. @default a point */
  readonly decimalSeparator?: "." | "," | undefined;
  /** Rows from which types are detected. @default all */
  readonly sample?: number | undefined;
  /** Fills rows that are too short with NULL. @default false */
  readonly padRows?: boolean | undefined;
  /** Leaves out rows with too many or too few fields, or with broken quotes. @default false */
  readonly ignoreErrors?: boolean | undefined;
}

/** Options of files. */
export interface FileOptions extends ColumnTypes {
  readonly csv?: CsvOptions | undefined;
}

/** Origin of tables, as the manifest of a source stores it. It never has a password. */
export type Origin =
  /** File, directory or glob. Each load lists the files again. */
  | ({ readonly kind: "files"; readonly path: string } & FileOptions)
  /** Object, or objects of a folder, in object storage. Each load lists the objects again. */
  | ({ readonly kind: "objects"; readonly url: string } & FileOptions)
  /** Table of a DuckDB file; all of its tables without `table`. */
  | { readonly kind: "duckdb"; readonly path: string; readonly schema?: string; readonly table?: string }
  /** Table of a PostgreSQL database; all tables of the schema without `table`. */
  | ({
      readonly kind: "postgres";
      readonly url: string;
      readonly schema: string;
      readonly table?: string;
    } & ColumnTypes);

/**
 * Tables that were loaded together: one table, all tables of a schema (`table` is null), or all tables of a catalog
 * (`schema` and `table` are null).
 */
export interface TableLoad {
  readonly catalog: string;
  readonly schema: string | null;
  readonly table: string | null;
  readonly origin: Origin;
  /** Time of the last load (ISO 8601). */
  readonly loadedAt: string;
}

/** Error that the operator can correct. Its message says how, unless it comes from the engine or from PostgreSQL. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** Returns the qualified name of a load for messages, such as `shop.main.orders`. Its parts are not quoted as in SQL. */
export function qualifiedName({ catalog, schema, table }: Pick<TableLoad, "catalog" | "schema" | "table">): string {
  return [catalog, schema, table].filter((part) => part !== null).join(".");
}

/** Returns an origin as text, close to what the operator typed. */
export function originText(origin: Origin): string {
  switch (origin.kind) {
    case "files":
      return origin.path;
    case "objects":
      return origin.url;
    case "duckdb":
      return [origin.path, origin.schema, origin.table].filter((part) => part !== undefined).join(" ");
    case "postgres":
      return [`${origin.url} ${origin.schema}`, origin.table].filter((part) => part !== undefined).join(".");
  }
}
