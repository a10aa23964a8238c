import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { archivedSince } from "@quern/query-run/retention";
import { toQueryRun } from "@quern/query-run/wire";
import { type Context, foundRun } from "./found.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds }: GetQueryRunParams,
  context: Context,
): Promise<Preencoded> {
  const { principal } = context;
  const run = foundRun(principal, queryRunId);
  if (waitSeconds) await run.settled(waitSeconds, context);
  else await run.polled(context.signal);
  return toldOf(run.record, principal.clock.now());
}

interface Told {
  readonly archivedAt: number | null;
  readonly result: Preencoded;
}

/** What was told last of each run: most polls are told the same again. */
const told = new WeakMap<RunRecord, Told>();

function toldOf(record: RunRecord, now: number): Preencoded {
  const last = told.get(record);
  const archivedAt = archivedSince(record, now);
  if (last !== undefined && last.archivedAt === archivedAt) return last.result;
  const queryRun: GetQueryRunResult = { queryRun: toQueryRun(record, now), redirectedToQueryRun: null };
  const result = preencoded(JSON.stringify(queryRun));
  told.set(record, { archivedAt, result });
  return result;
}
