import type { MockQuery } from "../statement/query.ts";
import { statementWords } from "../statement/sql-text.ts";
import type { Condition } from "./matcher.ts";

/** Condition of a stub, and the names of the parts that a statement does not meet. */
export interface Mismatch {
  readonly condition: Condition;
  readonly names: readonly string[];
}

/** Returns the message for a statement that no stub answers, with the most similar stub. */
export function unmatchedText(query: MockQuery, mismatches: readonly Mismatch[]): string {
  const text = `no stub matches ${JSON.stringify(query.sql)}`;
  const [nearest] = mismatches
    .map((mismatch) => ({ mismatch, similarity: similarity(mismatch, query) }))
    .sort((a, b) => b.similarity - a.similarity);
  if (nearest === undefined) return `${text}; none is defined`;
  const { condition, names } = nearest.mismatch;
  const difference = names.includes("the SQL") ? firstDifference(condition, query) : "";
  return `${text}; the nearest is when(${condition.text}), which differs in ${names.join(" and ")}${difference}`;
}

/**
 * Returns the first word that differs as text; an empty text if the stub has no SQL. One differs, because statements of
 * equal words match.
 */
function firstDifference({ sql }: Condition, query: MockQuery): string {
  if (sql === undefined) return "";
  const [wanted, given] = [statementWords(sql), statementWords(query.sql)];
  const at = wanted.findIndex((word, index) => word !== given[index]);
  if (at < 0) return ` (unexpected ${JSON.stringify(given[wanted.length])})`;
  if (given[at] === undefined) return ` (missing ${JSON.stringify(wanted[at])})`;
  return ` (expected ${JSON.stringify(wanted[at])}, got ${JSON.stringify(given[at])})`;
}

/**
 * Returns the share of words that two statements have in common, 0 to 1; 2 if only other conditions differ; 0 for a
 * stub without SQL.
 */
function similarity({ condition: { sql }, names }: Mismatch, query: MockQuery): number {
  if (sql === undefined) return 0;
  if (!names.includes("the SQL")) return 2;
  const [wanted, given] = [new Set(statementWords(sql)), new Set(statementWords(query.sql))];
  return (2 * [...wanted].filter((word) => given.has(word)).length) / (wanted.size + given.size);
}
