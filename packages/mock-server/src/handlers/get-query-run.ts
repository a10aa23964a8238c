import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { archivedSince } from "@quern/query-run/retention";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { currentQueryRun } from "./current-query-run.ts";
import { type Context, findRun } from "./lookup.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds }: GetQueryRunParams,
  context: Context,
): Promise<Preencoded> {
  const { principal } = context;
  const run = findRun(principal, queryRunId);
  if (waitSeconds) await run.waitForEnd(waitSeconds, context);
  else await run.poll(context.signal);
  return encodedRun(run, principal);
}

interface EncodedRun {
  readonly archivedAt: number | null;
  readonly progress: number | undefined;
  readonly result: Preencoded;
}

/** Last answer about each record; most polls repeat it. */
const lastAnswers = new WeakMap<RunRecord, EncodedRun>();

function encodedRun(run: MockRun, namespace: NamespaceState): Preencoded {
  const { record, progress } = run;
  const last = lastAnswers.get(record);
  const archivedAt = archivedSince(record, namespace.clock.now());
  if (last !== undefined && last.archivedAt === archivedAt && last.progress === progress) return last.result;
  const queryRun: GetQueryRunResult = { queryRun: currentQueryRun(run, namespace), redirectedToQueryRun: null };
  const result = preencoded(JSON.stringify(queryRun));
  lastAnswers.set(record, { archivedAt, progress, result });
  return result;
}
