import { once } from "node:events";
import { type StartedQuery, startQuery } from "@quern/client";
import type { Context } from "../command-function.ts";
import type { ResultFlags } from "../result/flags.ts";
import { printResult } from "../result/print-result.ts";
import { queued } from "../run/state.ts";
import type { StatementFlags } from "./flags.ts";

/** Seconds for which the service may hold the create: a short query then takes one request. */
const waitSeconds = 1;

/** Runs a statement and prints its result. A stop signal withdraws the query. */
export async function runStatement(context: Context, flags: ResultFlags & StatementFlags, sql: string): Promise<void> {
  const request = { ...requestOf(flags), sql };
  const watching = new AbortController();
  let started: StartedQuery | undefined;
  await printResult(context, flags, {
    async open({ client, pageSize, signal, deadline, onState, inform }) {
      // A stop signal does not abort the create: its answer has the id of the request to withdraw.
      started = await startQuery(client, { ...request, pageSize }, { signal: deadline, waitSeconds });
      const { queryRunId, reusedRun } = started;
      if (reusedRun !== undefined) inform(`reused run ${queryRunId}, created at ${reusedRun.createdAt}`);
      onState(queued, queryRunId);
      signal.throwIfAborted();
      // Aborting the result would withdraw the query without waiting for the confirmation, so `withdraw` does it.
      const stopped = once(signal, "abort").then(() => Promise.reject(signal.reason));
      return Promise.race([started.result({ signal: watching.signal, onState }), stopped]);
    },
    async withdraw() {
      const withdrawal = started?.cancel();
      watching.abort();
      await withdrawal;
    },
  });
}

function requestOf({
  param,
  maxAgeMinutes,
  resultTtlHours: resultTTLHours,
  tag,
  dataSource,
  dataProvider,
}: StatementFlags) {
  const tags = tag && Object.fromEntries(tag);
  return { parameters: param && parametersOf(param), maxAgeMinutes, resultTTLHours, tags, dataSource, dataProvider };
}

/** Returns positional parameters if the names are 1, 2, …, else named parameters. */
function parametersOf(pairs: NonNullable<StatementFlags["param"]>) {
  const byPosition = pairs.map(([name]) => name).sort((a, b) => Number(a) - Number(b));
  if (!byPosition.every((name, at) => name === String(at + 1))) return Object.fromEntries(pairs);
  const values = new Map(pairs);
  return byPosition.map((name) => values.get(name) ?? null);
}
