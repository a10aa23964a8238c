import { type Duration, durationMs } from "./duration.ts";

/** The time a mock lives in: retention, reuse, scripts and held answers all go by it. */
export interface MockClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Moves the time forward and wakes whatever waited for an instant on the way. */
  advance(by: Duration): void;
  /** Resolves once the time is `instant` or later, or the signal is aborted. */
  until(instant: number, signal: AbortSignal): Promise<void>;
}

export interface ClockOptions {
  /** The time at the start, in milliseconds since 1970; the machine's time if left out. */
  readonly startAt?: number;
  /** Whether time also passes by itself. Without it the clock stands still between calls of `advance`. */
  readonly ticking?: boolean;
}

interface Sleeper {
  readonly instant: number;
  wake(): void;
}

export function createClock({ startAt = Date.now(), ticking = false }: ClockOptions = {}): MockClock {
  const madeAt = performance.now();
  const sleepers = new Set<Sleeper>();
  let advancedMs = 0;

  const now = () => startAt + advancedMs + (ticking ? Math.floor(performance.now() - madeAt) : 0);

  function wakeDue(): void {
    for (const sleeper of sleepers) if (sleeper.instant <= now()) sleeper.wake();
  }

  function until(instant: number, signal: AbortSignal): Promise<void> {
    if (instant <= now() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      // A timer may come a millisecond early; one more than needed spares a second look.
      const timer = ticking ? setTimeout(wakeDue, instant - now() + 1) : undefined;
      const wake = () => {
        clearTimeout(timer);
        sleepers.delete(sleeper);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper: Sleeper = { instant, wake };
      sleepers.add(sleeper);
      signal.addEventListener("abort", wake);
    });
  }

  return {
    now,
    advance(by) {
      advancedMs += durationMs(by);
      wakeDue();
    },
    until,
  };
}
