import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { archivedSince } from "@quern/query-run/retention";
import { toQueryRun } from "@quern/query-run/wire";
import { type Context, findRun } from "./lookup.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds }: GetQueryRunParams,
  context: Context,
): Promise<Preencoded> {
  const { principal } = context;
  const run = findRun(principal, queryRunId);
  if (waitSeconds) await run.waitForEnd(waitSeconds, context);
  else await run.poll(context.signal);
  return encodedRun(run.record, principal.clock.now());
}

interface EncodedRun {
  readonly archivedAt: number | null;
  readonly result: Preencoded;
}

/** Last answer about each record; most polls repeat it. */
const lastAnswers = new WeakMap<RunRecord, EncodedRun>();

function encodedRun(record: RunRecord, now: number): Preencoded {
  const last = lastAnswers.get(record);
  const archivedAt = archivedSince(record, now);
  if (last !== undefined && last.archivedAt === archivedAt) return last.result;
  const queryRun: GetQueryRunResult = { queryRun: toQueryRun(record, now), redirectedToQueryRun: null };
  const result = preencoded(JSON.stringify(queryRun));
  lastAnswers.set(record, { archivedAt, result });
  return result;
}
