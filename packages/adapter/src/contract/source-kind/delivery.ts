import assert from "node:assert/strict";
import { isStatementError, type StatementError } from "../../error.ts";
import type { WrittenResult } from "../../result.ts";
import type { Execution } from "../../source-kind.ts";
import type { ResultCaps, Statement } from "../../statement.ts";
import type { SourceKindContext } from "./context.ts";

/** Signal that is never aborted. */
export const unlimited: AbortSignal = new AbortController().signal;

const noCaps: ResultCaps = { maxResultBytes: 1e12, maxResultRows: Number.POSITIVE_INFINITY };
const caller = { tenantId: "tenant_contract", userId: "user_contract", parameters: null, traceparent: undefined };
let runs = 0;

/** Begins a statement on a snapshot of the data, calls `use`, and releases the execution and the snapshot. */
export async function withExecution<T>(
  { kind, source }: SourceKindContext,
  sql: string,
  signal: AbortSignal,
  use: (execution: Execution) => Promise<T>,
  caps: ResultCaps = noCaps,
): Promise<T> {
  const data = await kind.hold(source);
  runs += 1;
  const run = { runId: `run_contract_${runs}`, attempt: 1, limits: { ...caps, timeoutSeconds: 600 } };
  const statement: Statement = { ...caller, ...run, sql, source, data };
  try {
    const execution = await kind.begin(statement, signal);
    return await use(execution).finally(() => execution.release());
  } finally {
    await data.release();
  }
}

/** Runs a statement and writes its result, as the service does, and calls `use` with it. */
export function deliver<T>(
  context: SourceKindContext,
  sql: string,
  use: (written: WrittenResult) => Promise<T>,
  { signal = unlimited, caps = noCaps }: { readonly signal?: AbortSignal; readonly caps?: ResultCaps } = {},
): Promise<T> {
  const writeResult = async (execution: Execution): Promise<T> => {
    const result = await execution.result();
    if (result.form === "parquet") {
      const file = await result.file();
      return use({ ...file, columns: result.columns, release: async () => {} });
    }
    if (result.form === "cells") throw new Error("expected a file, because small results are not allowed");
    const written = await context.writer.write(result, caps, signal);
    return use(written).finally(() => written.release());
  };
  return withExecution(context, sql, signal, writeResult, caps);
}

/**
 * Returns the failure of a statement that must fail.
 * @throws {AssertionError} if the statement succeeds, or its error is not a `StatementError`
 */
export async function failureOf(work: Promise<unknown>): Promise<StatementError["failure"]> {
  const error = await work.then(
    () => assert.fail("expected the statement to fail, but it succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(isStatementError(error), `expected a StatementError, got ${error}`);
  return error.failure;
}

/**
 * Returns whatever a statement that must fail throws, such as the reason of its signal.
 * @throws {AssertionError} if the statement succeeds
 */
export function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail("expected the statement to fail, but it succeeded"),
    (thrown: unknown) => thrown,
  );
}
