import type { ListQueryRunsParams, ListQueryRunsResult } from "@quern/protocol/types";
import { defaultListLimit } from "@quern/query-run/limits";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import { invalidParams } from "../wire/declared-error.ts";
import type { Context } from "./found.ts";

export async function listQueryRuns(params: ListQueryRunsParams, { principal }: Context): Promise<ListQueryRunsResult> {
  const { limit = defaultListLimit, cursor } = params;
  const runs = [...principal.runs.values()];
  for (const run of runs) await run.glance();
  // The place in the order of creation stands for the run, so that runs which are made meanwhile move nothing.
  const before = cursor === undefined ? runs.length : placeOf(cursor);
  const found = runs
    .map(({ record }, place) => ({ record, place }))
    .filter(({ record, place }) => place < before && matches(record, params));
  const page = found.reverse().slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    queryRuns: page.map(({ record }) => toQueryRun(record, principal.clock.now())),
    nextCursor: last === undefined ? null : cursorOf(last.place),
  };
}

function matches(record: RunRecord, { states, tags = {}, since }: ListQueryRunsParams): boolean {
  if (states !== undefined && !states.includes(record.state)) return false;
  if (since !== undefined && record.createdAt < Date.parse(since)) return false;
  return Object.entries(tags).every(([key, value]) => Object.hasOwn(record.tags, key) && record.tags[key] === value);
}

const prefix = "runs-before-";

function cursorOf(place: number): string {
  return btoa(`${prefix}${place}`);
}

/** @throws MethodError for a cursor that this mock has not made. */
function placeOf(cursor: string): number {
  const text = /^[A-Za-z\d+/]+={0,2}$/.test(cursor) && cursor.length % 4 === 0 ? atob(cursor) : "";
  const place = text.startsWith(prefix) ? Number(text.slice(prefix.length)) : Number.NaN;
  if (Number.isInteger(place)) return place;
  const expected = "`nextCursor` of an earlier call";
  throw invalidParams([{ pointer: "/cursor", expected, received: JSON.stringify(cursor) }]);
}
