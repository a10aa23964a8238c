import { type StartedQuery, startQuery } from "@quern/client";
import type { Context } from "../command-function.ts";
import { movePlace, notePlace } from "../errors/error-place.ts";
import type { ResultFlags } from "../result/flags.ts";
import { printResult, type ResultSource } from "../result/print-result.ts";
import { queued } from "../run/state.ts";
import type { StatementFlags, TableFileFlags } from "./flags.ts";
import { uploadTables } from "./table-file.ts";

/** Seconds for which the service may hold the create: a short query then takes one request. */
const waitSeconds = 1;

/**
 * Runs a statement and prints its result. A stop signal withdraws the query.
 * @param before Words to send before the statement, such as `explain `. Places in errors are those of the statement.
 */
export async function runStatement(
  context: Context,
  flags: ResultFlags & StatementFlags & TableFileFlags,
  sql: string,
  { before = "", line = 1 } = {},
): Promise<void> {
  try {
    await printResult(context, flags, statementSource(flags, before + sql, context.process.stdin));
  } catch (error) {
    movePlace(error, before.length);
    notePlace(error, { sql, line });
    throw error;
  }
}

/**
 * Creates the source of the result of a statement, which is run when the result is opened.
 * @param stdin stream for a table that is read from stdin @default none
 */
export function statementSource(
  flags: StatementFlags & TableFileFlags,
  sql: string,
  stdin: AsyncIterable<Uint8Array> = noBytes(),
): ResultSource {
  const request = { ...requestOf(flags), sql };
  const watching = new AbortController();
  let started: StartedQuery | undefined;
  return {
    async open({ client, pageSize, signal, deadline, onState, inform }) {
      // A stop signal does not abort the create: its answer has the id of the request to withdraw.
      const uploads = flags.with && (await uploadTables(client, flags.with, stdin, signal));
      const sent = { ...request, ...(uploads && { uploads }), pageSize };
      started = await startQuery(client, sent, { signal: deadline, waitSeconds });
      const { queryRunId, reusedRun } = started;
      if (reusedRun !== undefined) inform(`reused run ${queryRunId}, created at ${reusedRun.createdAt}`);
      onState(queued, queryRunId);
      signal.throwIfAborted();
      // Aborting the result would withdraw the query without waiting for the confirmation, so `withdraw` does it.
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      return Promise.race([started.result({ signal: watching.signal, onState }), stopped]);
    },
    async withdraw() {
      const withdrawal = started?.cancel();
      watching.abort();
      await withdrawal;
    },
  };
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

async function* noBytes(): AsyncGenerator<Uint8Array> {}
