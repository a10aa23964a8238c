import type { Caller, Members } from "./exchange.ts";
import type { Subject } from "./subject.ts";

/** Query run, as published clients read it. */
export type RawRun = Members & { readonly id: string; readonly state: string };

export interface RawCreated {
  readonly queryRequest: Members;
  readonly queryRun: RawRun;
  readonly sqlStatement: Members & { readonly id: string };
}

/**
 * Returns the params of `createQueryRun` as the JavaScript client sends them. The Python client differs only in its
 * tags.
 */
export function createParams(sql: string, maxAgeMinutes = 0): Members {
  return {
    resultTTLHours: 1,
    maxAgeMinutes,
    sql,
    tags: { sdk_package: "js", sdk_version: "2.1.0", sdk_language: null },
    dataSource: "snowflake-default",
    dataProvider: "flipside",
  };
}

const finalStates = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];

/** Polls a run until it has ended, as published clients do, but faster. */
async function ended({ call }: Caller, queryRunId: string): Promise<RawRun> {
  for (;;) {
    const { queryRun } = await call<{ queryRun: RawRun }>("getQueryRun", { queryRunId });
    if (finalStates.includes(queryRun.state)) return queryRun;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns an ended run of the statement, which an earlier test may have created. */
async function run(caller: Caller, sql: string): Promise<RawRun> {
  const { queryRun } = await caller.call<RawCreated>("createQueryRun", createParams(sql, 1_440));
  return ended(caller, queryRun.id);
}

/** Returns a run of the statement that has succeeded. */
export async function success(caller: Caller, sql: string): Promise<RawRun> {
  const finished = await run(caller, sql);
  if (finished.state !== "QUERY_STATE_SUCCESS") throw new Error(`${finished.state}: ${finished.errorMessage}`);
  return finished;
}

/**
 * Returns five records of runs: a run when it was created, when it was read again and when it was canceled, a run that
 * has succeeded, and one that has failed.
 */
export async function runsOfManyStates(caller: Caller, subject: Subject): Promise<readonly RawRun[]> {
  const { queryRun: created } = await caller.call<RawCreated>("createQueryRun", createParams(subject.endless.sql));
  const under = await caller.call<{ queryRun: RawRun }>("getQueryRun", { queryRunId: created.id });
  const canceled = await caller.call<{ queryRun: RawRun }>("cancelQueryRun", { queryRunId: created.id });
  const succeeded = await success(caller, subject.statement.sql);
  const failed = await run(caller, subject.failing.sql);
  return [created, under.queryRun, canceled.queryRun, succeeded, failed];
}
