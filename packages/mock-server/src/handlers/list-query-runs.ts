import { listQueryRunsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { ListQueryRunsParams, ListQueryRunsResult } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { textMatcher } from "@quern/query-run/text-search";
import { toQueryRun } from "@quern/query-run/wire";
import { invalidParams } from "../wire/contract-methods.ts";
import type { Context } from "./lookup.ts";

export async function listQueryRuns(params: ListQueryRunsParams, { principal }: Context): Promise<ListQueryRunsResult> {
  const { limit = defaults.limit, cursor, text } = params;
  const hasText = text === undefined ? () => true : textMatcher(text);
  const runs = [...principal.runs.values()];
  for (const run of runs) await run.updateNow();
  // The cursor is an index in the order of creation, so that new runs do not shift the pages.
  const end = cursor === undefined ? runs.length : indexOf(cursor);
  const found = runs
    .map(({ record, query }, index) => ({ record, query, index }))
    .filter(({ record, query, index }) => index < end && matches(record, params) && hasText(query.sql));
  const page = found.reverse().slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    queryRuns: page.map(({ record }) => toQueryRun(record, principal.clock.now())),
    nextCursor: last === undefined ? null : cursorOf(last.index),
  };
}

function matches(record: RunRecord, { states, tags = {}, since, until }: ListQueryRunsParams): boolean {
  if (states !== undefined && !states.includes(record.state)) return false;
  if (since !== undefined && record.createdAt < Date.parse(since)) return false;
  if (until !== undefined && record.createdAt >= Date.parse(until)) return false;
  return Object.entries(tags).every(([key, value]) => Object.hasOwn(record.tags, key) && record.tags[key] === value);
}

const prefix = "runs-before-";

function cursorOf(index: number): string {
  return btoa(`${prefix}${index}`);
}

/** @throws MethodError InvalidParams for a text that is not a cursor of a mock. */
function indexOf(cursor: string): number {
  const text = /^[A-Za-z\d+/]+={0,2}$/.test(cursor) && cursor.length % 4 === 0 ? atob(cursor) : "";
  const index = text.startsWith(prefix) ? Number(text.slice(prefix.length)) : Number.NaN;
  if (Number.isInteger(index)) return index;
  const expected = "the nextCursor of an earlier call";
  throw invalidParams([{ pointer: "/cursor", expected, received: JSON.stringify(cursor) }]);
}
