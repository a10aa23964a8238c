import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { type StartedQuery, startQuery } from "@quern/client";
import { type Context, commandFunction } from "../../command-function.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { ResultFlags } from "../../result/flags.ts";
import { printResult } from "../../result/print-result.ts";
import { queued } from "../../run/state.ts";

export interface QueryFlags extends ResultFlags {
  readonly param?: readonly (readonly [string, string | number | boolean | null])[];
  readonly maxAgeMinutes?: number;
  readonly resultTtlHours?: number;
  readonly tag?: readonly (readonly [string, string])[];
  readonly dataSource?: string;
  readonly dataProvider?: string;
}

/** Seconds for which the service may hold the create: a short query then takes one request. */
const waitSeconds = 1;

export const runQuery = commandFunction(async (context: Context, flags: QueryFlags, sql?: string) => {
  const request = { ...requestOf(flags), sql: await statementText(sql, context.process.stdin) };
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
});

async function statementText(sql: string | undefined, stdin: NodeJS.ReadStream): Promise<string> {
  const isGiven = sql !== undefined && sql !== "-";
  const isPiped = sql === "-" || !stdin.isTTY;
  const statement = isGiven ? sql : isPiped ? utf8Text(await buffer(stdin)) : "";
  if (statement.trim() !== "") return statement;
  throw new UsageError('missing statement; write `quern query "select 1"`, or send it to stdin');
}

/** @throws {UsageError} for other encodings, whose characters would be replaced. */
function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError("invalid statement on stdin: its bytes are not UTF-8; convert it, e.g. with iconv -t UTF-8");
  }
}

function requestOf({
  param,
  maxAgeMinutes,
  resultTtlHours: resultTTLHours,
  tag,
  dataSource,
  dataProvider,
}: QueryFlags) {
  const tags = tag && Object.fromEntries(tag);
  return { parameters: param && parametersOf(param), maxAgeMinutes, resultTTLHours, tags, dataSource, dataProvider };
}

/** Returns positional parameters if the names are 1, 2, …, else named parameters. */
function parametersOf(pairs: NonNullable<QueryFlags["param"]>) {
  const byPosition = pairs.map(([name]) => name).sort((a, b) => Number(a) - Number(b));
  if (!byPosition.every((name, at) => name === String(at + 1))) return Object.fromEntries(pairs);
  const values = new Map(pairs);
  return byPosition.map((name) => values.get(name) ?? null);
}
