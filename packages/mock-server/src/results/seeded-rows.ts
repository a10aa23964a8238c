import type { ColumnKind } from "@quern/query-run/record";
import { type Random, randomOf } from "../random.ts";
import type { MockQuery } from "../statement/query.ts";
import { columnNames } from "../statement/select-list.ts";
import { normalizedStatement } from "../statement/sql-text.ts";
import type { Table } from "./result-set.ts";

const kinds = ["string", "number", "number", "date", "boolean", "object", "array"] as const;
const texts = ["plain", "größer", "☃", "😀", '"quoted"\n', "", "0", "null", "a, b", "<b>"] as const;
const numbers = [0, 1, -1, 0.1, 1e21, 2 ** 53, 12_345_678_901_234_567_890n, Number.NaN] as const;
const maxRows = 30;

/**
 * Returns pseudo-random rows that follow from a seed and a statement. They have the columns that the statement selects,
 * as far as its text shows them, with edge cases of each type. With one seed, a column name has the same type in all
 * statements.
 */
export function seededRows(seed: number, { sql, parameters }: MockQuery): Table {
  const text = normalizedStatement(sql);
  const random = randomOf(seed, text, parameters);
  const columns = columnNames(sql).map((name) => ({ name, type: randomOf(seed, name).pick(kinds) }));
  const rows = Array.from({ length: random.below(maxRows) }, () => columns.map(({ type }) => cellOf(type, random)));
  return { columns, rows };
}

function cellOf(kind: ColumnKind, random: Random): unknown {
  if (random.oneIn(8)) return null;
  if (kind === "string") return random.pick(texts);
  if (kind === "number") return random.oneIn(2) ? random.below(1_000) : random.pick(numbers);
  if (kind === "boolean") return random.oneIn(2);
  if (kind === "date") return new Date(Date.UTC(1900 + random.below(200), random.below(12), 1 + random.below(28)));
  return kind === "array" ? [random.below(10), random.pick(texts)] : { a: random.below(10), b: null };
}
