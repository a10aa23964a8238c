import type { Condition, MockQuery } from "./matcher.ts";
import { normalizedStatement } from "./sql-text.ts";

/** Why no stub answers a statement, with the stub that comes nearest to it. */
export function missText(query: MockQuery, conditions: readonly Condition[]): string {
  const text = `no stub matches ${JSON.stringify(query.sql)}`;
  const [nearest] = conditions
    .map((condition) => ({ condition, differing: differing(condition, query), likeness: likeness(condition, query) }))
    .sort((a, b) => b.likeness - a.likeness);
  if (nearest === undefined) return `${text}; there is none`;
  return `${text}; the nearest is when(${nearest.condition.text}), but for ${nearest.differing}`;
}

function differing(condition: Condition, query: MockQuery): string {
  const names = condition.mismatches(query);
  return names.join(" and ") + (names.includes("the SQL") ? firstDifference(condition, query) : "");
}

function firstDifference({ sql }: Condition, query: MockQuery): string {
  if (sql === undefined) return "";
  const [wanted, given] = [words(sql), words(query.sql)];
  const at = wanted.findIndex((word, index) => word !== given[index]);
  if (at < 0) return ` (which goes on with ${JSON.stringify(given[wanted.length])})`;
  return ` (${JSON.stringify(wanted[at])} is ${given[at] === undefined ? "missing" : JSON.stringify(given[at])})`;
}

function words(sql: string): readonly string[] {
  return (
    normalizedStatement(sql)
      .match(/\w+|\s+|[^\w\s]/g)
      ?.filter((word) => word.trim() !== "") ?? []
  );
}

/** From 0 to 1 by the words that two statements share; above that where nothing but tags or parameters differ. */
function likeness(condition: Condition, query: MockQuery): number {
  if (!condition.mismatches(query).includes("the SQL") && condition.sql !== undefined) return 2;
  if (condition.sql === undefined) return 0;
  const [wanted, given] = [new Set(words(condition.sql)), new Set(words(query.sql))];
  return (2 * [...wanted].filter((word) => given.has(word)).length) / (wanted.size + given.size);
}
