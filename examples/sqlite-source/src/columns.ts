import type { EngineColumn, TableColumn } from "@quern/adapter";

/** Column as the process describes it. */
export interface ColumnDescription {
  readonly name: string;
  /** Type of its declaration, or of its first value; null without either. */
  readonly type: string | null;
}

type Kind = TableColumn["kind"];

/** Kinds and stored types by the beginning of the declared type. */
const types: readonly (readonly [declared: RegExp, kind: Kind, storedType: string])[] = [
  [/^BOOL/i, "boolean", "BOOLEAN"],
  [/INT/i, "number", "BIGINT"],
  [/^(REAL|DOUBLE|FLOAT)/i, "number", "DOUBLE"],
  [/^(DATETIME|TIMESTAMP)/i, "date", "TIMESTAMP"],
  [/^DATE/i, "date", "DATE"],
  [/^BLOB/i, "string", "BLOB"],
];

/**
 * Returns the column as the service stores it; a column of another type becomes text. SQLite allows values of any type
 * in a column: one that does not fit the stored type fails the run.
 */
export function engineColumn({ name, type }: ColumnDescription): EngineColumn & { readonly kind: Kind } {
  const engineType = type ?? "TEXT";
  const [, kind, storedType] = types.find(([declared]) => declared.test(engineType)) ?? [/$/, "string", "VARCHAR"];
  return { name, engineType, kind, storedType };
}
