import type { MockQuery } from "../statement/query.ts";
import { statementWords } from "../statement/sql-text.ts";
import type { Condition } from "./matcher.ts";

/** Condition of a stub, and the names of all in which a statement differs from it. */
export interface Mismatch {
  readonly condition: Condition;
  readonly names: readonly string[];
}

/** Tells why no stub answers a statement, with the stub that is nearest to it. */
export function missText(query: MockQuery, mismatches: readonly Mismatch[]): string {
  const text = `no stub matches ${JSON.stringify(query.sql)}`;
  const [nearest] = mismatches
    .map((mismatch) => ({ mismatch, likeness: likeness(mismatch, query) }))
    .sort((a, b) => b.likeness - a.likeness);
  if (nearest === undefined) return `${text}; none is defined`;
  const { condition, names } = nearest.mismatch;
  const difference = names.includes("the SQL") ? firstDifference(condition, query) : "";
  return `${text}; the nearest is when(${condition.text}), but for ${names.join(" and ")}${difference}`;
}

/** Two statements of the same words match, so that one of them has a word that the other lacks. */
function firstDifference({ sql }: Condition, query: MockQuery): string {
  if (sql === undefined) return "";
  const [wanted, given] = [statementWords(sql), statementWords(query.sql)];
  const at = wanted.findIndex((word, index) => word !== given[index]);
  if (at < 0) return ` (which goes on with ${JSON.stringify(given[wanted.length])})`;
  return ` (${JSON.stringify(wanted[at])} is ${given[at] === undefined ? "missing" : JSON.stringify(given[at])})`;
}

/** Returns 0 to 1 by the share of words that two statements have in common, and 2 where only other conditions differ. */
function likeness({ condition: { sql }, names }: Mismatch, query: MockQuery): number {
  if (sql === undefined) return 0;
  if (!names.includes("the SQL")) return 2;
  const [wanted, given] = [new Set(statementWords(sql)), new Set(statementWords(query.sql))];
  return (2 * [...wanted].filter((word) => given.has(word)).length) / (wanted.size + given.size);
}
