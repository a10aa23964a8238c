import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

/** Prepared statements by name. Most select a column `record` with a JSON record. */
export interface Records<Name extends string> {
  /** Returns the record of the first row. */
  one<T>(name: Name, ...values: SQLInputValue[]): T | undefined;
  /** Returns the records of all rows. */
  all<T>(name: Name, ...values: SQLInputValue[]): T[];
  row(name: Name, ...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined;
  rows(name: Name, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[];
  /** Returns the column `n` of the only row. */
  count(name: Name, ...values: SQLInputValue[]): number;
  /** Returns the number of changed rows. */
  run(name: Name, ...values: SQLInputValue[]): number;
}

export function prepareRecords<Name extends string>(
  database: DatabaseSync,
  texts: Readonly<Record<Name, string>>,
): Records<Name> {
  const entries = Object.entries<string>(texts).map(([name, text]) => [name, database.prepare(text)] as const);
  const statements = new Map<string, (typeof entries)[number][1]>(entries);
  const statement = (name: Name) => {
    const found = statements.get(name);
    if (found === undefined) throw new Error(`unknown statement ${name}`);
    return found;
  };
  return {
    one(name, ...values) {
      const row = statement(name).get(...values);
      return row && recordOf(row);
    },
    all: <T>(name: Name, ...values: SQLInputValue[]) =>
      statement(name)
        .all(...values)
        .map(recordOf<T>),
    row: (name, ...values) => statement(name).get(...values),
    rows: (name, ...values) => statement(name).all(...values),
    count: (name, ...values) => Number(statement(name).get(...values)?.n),
    run: (name, ...values) => Number(statement(name).run(...values).changes),
  };
}

/** Parses the record of a row. */
export function recordOf<T>(row: Record<string, SQLOutputValue>): T {
  return parsed(String(row.record));
}

/** Parses a record, which only this store writes. */
export function parsed<T>(record: string): T {
  return JSON.parse(record) as T;
}
