import {
  type EncodedResult,
  EngineLostError,
  type EngineResult,
  type Execution,
  type HeldData,
  isStatementError,
  type Source,
  type SourceKind,
  unknownRevision,
  untilAborted,
} from "@quern/adapter";
import { within } from "./deadline.ts";
import { createSourceHealth, type SourceHealthOptions } from "./source-health.ts";

export interface GuardOptions extends SourceHealthOptions {
  /** Milliseconds in which `revision`, `hold`, `begin`, `cancel` and `release` must end. @default 30,000 */
  readonly answerMs?: number;
  /** Milliseconds that a call may take to end after its signal was aborted. @default 5,000 */
  readonly graceMs?: number;
}

/**
 * Protects the service from an engine that cannot be reached or does not answer. An engine that cannot be reached fails
 * the statement with `DataSourceUnavailable`. After several such failures, the circuit breaker of the source refuses
 * calls at once with the same error, until a probe succeeds.
 */
export function guardKind(kind: SourceKind, options: GuardOptions): SourceKind {
  const { answerMs = 30_000, graceMs = 5_000, log } = options;
  const health = createSourceHealth(options);

  function answer<T>(source: Source, call: Promise<T>, late?: (value: T) => void): Promise<T> {
    const expired = () => new EngineLostError(`${source.name} did not answer within ${answerMs / 1_000} seconds`);
    return within(answerMs, call, expired, late);
  }

  /** Lets a call end by itself when its signal is aborted, and gives it up after a grace period. */
  async function ending<T>(call: Promise<T>, signal: AbortSignal, late?: (value: T) => void): Promise<T> {
    const given = new AbortController();
    const giveUp = (): void => void setTimeout(() => given.abort(signal.reason), graceMs).unref();
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    return untilAborted(call, given.signal, late).finally(() => signal.removeEventListener("abort", giveUp));
  }

  /** Treats an engine that is lost while it delivers rows as one that is lost before. */
  async function* guardedStream<T>(source: Source, stream: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* stream;
    } catch (error) {
      await health.lossOf(source, Promise.reject(error));
    }
  }

  async function* guardedParts(source: Source, parts: EncodedResult["parts"]): EncodedResult["parts"] {
    for await (const part of guardedStream(source, parts)) yield guardedStream(source, part);
  }

  function guardedResult(source: Source, result: EngineResult): EngineResult {
    if (result.form === "rows") return { ...result, rows: guardedStream(source, result.rows) };
    if (result.form === "encoded") return { ...result, parts: guardedParts(source, result.parts) };
    if (result.form === "cells") return result;
    return { ...result, file: () => health.lossOf(source, result.file()) };
  }

  function guardedExecution(source: Source, execution: Execution, signal: AbortSignal): Execution {
    return {
      engineQueryId: execution.engineQueryId,
      progress: () => execution.progress(),
      result: async () => guardedResult(source, await health.lossOf(source, ending(execution.result(), signal))),
      // The result is stored or abandoned by now, so an engine that does not answer must not keep a run from ending.
      release: () =>
        answer(source, execution.release()).catch((error: unknown) =>
          log.error(`a query on the data source ${source.name} could not be released`, error),
        ),
    };
  }

  return {
    async revision(source) {
      // The run, and not its creation, reports a source that cannot be used.
      if (health.isRefused(source)) return unknownRevision;
      return health.preparing(source, answer(source, kind.revision(source))).catch((error: unknown) => {
        if (!isStatementError(error)) log.error(`the revision of ${source.name} could not be read`, error);
        return unknownRevision;
      });
    },
    async hold(source) {
      health.admit(source);
      const release = (data: HeldData): void => void data.release().catch(() => {});
      return health.preparing(source, answer(source, kind.hold(source), release));
    },
    describe: (query, signal) => health.reaching(query.source, ending(kind.describe(query, signal), signal)),
    async begin(statement, signal) {
      const { source } = statement;
      const release = (execution: Execution): void => void execution.release().catch(() => {});
      const beginning = ending(kind.begin(statement, signal), signal, release);
      return guardedExecution(source, await health.reaching(source, answer(source, beginning, release)), signal);
    },
    cancel: (source, ...query) => answer(source, kind.cancel(source, ...query)),
    ...(kind.tables && {
      tables: async (query, signal) =>
        health.reaching(query.source, ending(kind.tables?.(query, signal) ?? Promise.resolve([]), signal)),
    }),
    ...(kind.complete && {
      complete: async (query, position, signal) =>
        health.preparing(query.source, ending(kind.complete?.(query, position, signal) ?? Promise.resolve([]), signal)),
    }),
    close: () => kind.close(),
  };
}
