/** Thresholds of a circuit breaker. */
export interface BreakerOptions {
  /** Number of failures in succession after which the breaker opens. @default 5 */
  readonly maxFailures?: number;
  /** Milliseconds within which these failures must occur. @default 60,000 */
  readonly withinMs?: number;
  /** Milliseconds for which an open breaker refuses calls, until it admits one as a probe. @default 15,000 */
  readonly openMs?: number;
  /** Returns milliseconds of a clock that is never set. @default performance.now */
  readonly now?: () => number;
}

/**
 * Circuit breaker of one data source. It opens after failures in succession, and then refuses calls, so that they do
 * not wait for a connection. After a pause it admits one call as a probe, which closes it or opens it again.
 */
export interface CircuitBreaker {
  /**
   * Admits a call, whose end must then be reported by `succeeded`, `failed` or `abandoned`.
   * @returns undefined, or for a refused call the milliseconds until the next probe
   */
  refusal(): number | undefined;
  /** Records that the engine has answered. Returns true if that closes the breaker. */
  succeeded(): boolean;
  /** Records that the engine could not be reached. Returns true if that opens a closed breaker. */
  failed(): boolean;
  /** Records that a call ended without an answer for another reason, so that the next call may be the probe. */
  abandoned(): void;
  /** True if `refusal` would refuse a call now. */
  readonly isRefusing: boolean;
}

export function createCircuitBreaker(options: BreakerOptions = {}): CircuitBreaker {
  const { maxFailures = 5, withinMs = 60_000, openMs = 15_000, now = () => performance.now() } = options;
  let failures: number[] = [];
  let openUntil: number | undefined;
  // A probe that never ends would keep the breaker open, so another one follows it after `openMs`.
  let probeUntil = Number.NEGATIVE_INFINITY;

  const waitMs = (): number => (openUntil === undefined ? 0 : Math.max(openUntil, probeUntil) - now());

  return {
    get isRefusing() {
      return waitMs() > 0;
    },
    refusal() {
      const wait = waitMs();
      if (wait > 0) return wait;
      if (openUntil !== undefined) probeUntil = now() + openMs;
      return undefined;
    },
    succeeded() {
      const closes = openUntil !== undefined;
      failures = [];
      openUntil = undefined;
      return closes;
    },
    failed() {
      const time = now();
      failures = [...failures.filter((each) => each > time - withinMs), time].slice(-maxFailures);
      if (openUntil === undefined && failures.length < maxFailures) return false;
      const opens = openUntil === undefined;
      openUntil = time + openMs; // not before `probeUntil`: the clock is never set
      return opens;
    },
    abandoned() {
      probeUntil = Number.NEGATIVE_INFINITY;
    },
  };
}
