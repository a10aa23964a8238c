import { EngineLostError, isEngineLostError, type Source, StatementError } from "@quern/adapter";
import type { Log } from "../common/log.ts";
import { sourceUnavailable } from "../common/method-errors.ts";
import { type BreakerOptions, type CircuitBreaker, createCircuitBreaker } from "./circuit-breaker.ts";

/** Reports of the connections to data sources, for metrics. */
export interface SourceReports {
  /** Names a source of another engine than DuckDB, whose metrics then exist. */
  known(source: string): void;
  connectionFailed(source: string): void;
  /** Reports that the circuit breaker of a source has opened (`false`) or closed (`true`). */
  available(source: string, isAvailable: boolean): void;
}

export interface SourceHealthOptions extends BreakerOptions {
  readonly log: Log;
  readonly reports: SourceReports;
}

/** Availability of data sources, each with a circuit breaker. */
export interface SourceHealth {
  /** Returns true if `admit` would throw. Does not take the place of a probe. */
  isRefused(source: Source): boolean;
  /** @throws {StatementError} `DataSourceUnavailable`, if the circuit breaker of the source is open */
  admit(source: Source): void;
  /**
   * Waits for a call to an engine, and records its outcome.
   * @throws {StatementError} `DataSourceUnavailable`, if the engine cannot be reached
   */
  reaching<T>(source: Source, call: Promise<T>): Promise<T>;
  /** Waits for a step that may need no engine: like `reaching`, but its success is no sign of an available engine. */
  preparing<T>(source: Source, call: Promise<T>): Promise<T>;
  /**
   * Waits for the result of a statement, and records the loss of its engine.
   * @throws {EngineLostError} without the text of the cause, which may have addresses of the operator's network
   */
  lossOf<T>(source: Source, call: Promise<T>): Promise<T>;
}

export function createSourceHealth({ log, reports, ...thresholds }: SourceHealthOptions): SourceHealth {
  const breakers = new Map<string, CircuitBreaker>();

  function breakerOf({ name, address }: Source): CircuitBreaker {
    // A source with a new address starts anew.
    const key = JSON.stringify([name, address]);
    const known = breakers.get(key);
    if (known !== undefined) return known;
    const breaker = createCircuitBreaker(thresholds);
    breakers.set(key, breaker);
    reports.known(name);
    return breaker;
  }

  function failed(source: Source, error: EngineLostError): void {
    const { name } = source;
    reports.connectionFailed(name);
    log.error(`the data source ${name} could not be reached`, error);
    if (!breakerOf(source).failed()) return;
    reports.available(name, false);
    log.error(`queries on the data source ${name} fail at once until it can be reached`, error);
  }

  function succeeded(source: Source): void {
    if (!breakerOf(source).succeeded()) return;
    reports.available(source.name, true);
    log.info?.(`the data source ${source.name} can be reached again`, {});
  }

  async function recording<T>(source: Source, call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (isEngineLostError(error)) failed(source, error);
      else breakerOf(source).abandoned();
      throw error;
    }
  }

  const preparing = <T>(source: Source, call: Promise<T>): Promise<T> =>
    recording(source, call).catch((error: unknown) => {
      throw isEngineLostError(error) ? unavailable(source, "retry later") : error;
    });

  return {
    isRefused: (source) => breakerOf(source).isRefusing,
    admit(source) {
      const waitMs = breakerOf(source).refusal();
      if (waitMs === undefined) return;
      throw unavailable(source, `the service tries again in ${Math.ceil(waitMs / 1_000)} s`);
    },
    async reaching(source, call) {
      const answered = await preparing(source, call);
      succeeded(source);
      return answered;
    },
    preparing,
    lossOf: (source, call) =>
      recording(source, call).catch((error: unknown) => {
        // The caller sees this message once its run has lost the engine several times. The log has the cause.
        throw isEngineLostError(error)
          ? new EngineLostError(`the connection to the data source ${source.name} was lost`, { cause: error })
          : error;
      }),
  };
}

/** The message has no part of the cause, which may have addresses of the operator's network. The log has it. */
function unavailable({ name }: Source, advice: string): StatementError {
  return new StatementError({
    name: sourceUnavailable,
    message: `The data source ${name} cannot be reached; ${advice}.`,
    data: { category: "DATA_SOURCE", retryable: true },
  });
}
