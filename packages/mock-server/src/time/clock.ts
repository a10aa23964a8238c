import { memberCheck } from "../member-check.ts";
import { type Duration, durationMs } from "./duration.ts";

/** The time a mock lives in: retention, reuse, scripts and held answers all go by it. */
export interface MockClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Whether it jumps to what is waited for. */
  readonly isAuto: boolean;
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
  /**
   * Whether it jumps to the next instant that somebody waits for, so that waits take no time: calls that are held, clients that
   * sleep by it, and polls of a run that tell nothing new until its next change.
   */
  readonly auto?: boolean;
}

/** Taken before a test can put fake timers in its place: a jump is of the mock's time, and must not wait for the test's. */
const { setTimeout: setRealTimeout } = globalThis;

/** The longest that a timer can be set to. */
const maxTimerMs = 2 ** 31 - 1;

interface Sleeper {
  readonly instant: number;
  wake(): void;
}

const checkClock = memberCheck<ClockOptions>("clock", {
  startAt: {},
  ticking: { type: "boolean" },
  auto: { type: "boolean" },
});

/** @throws RangeError for a start that is no time. */
export function createClock(options: ClockOptions = {}): MockClock {
  checkClock(options);
  const { startAt = Date.now(), ticking = false, auto = false } = options;
  const madeAt = ticking ? performance.now() : 0;
  if (typeof startAt !== "number" || Number.isNaN(new Date(startAt).getTime()))
    throw new RangeError(`a clock starts at a time in milliseconds since 1970, not at ${startAt}`);
  const sleepers = new Set<Sleeper>();
  let advancedMs = 0;
  let willJump = false;

  const now = () => startAt + advancedMs + (ticking ? Math.floor(performance.now() - madeAt) : 0);

  function wakeDue(): void {
    for (const sleeper of sleepers) if (sleeper.instant <= now()) sleeper.wake();
  }

  /** The next instant that somebody waits for; some wait for none. */
  function earliest(): number | undefined {
    const instants = [...sleepers].map(({ instant }) => instant).filter(Number.isFinite);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /** One instant at a time, so that whoever wakes can wait again for one that is earlier than those of others. */
  function jumpSoon(): void {
    if (willJump || earliest() === undefined) return;
    willJump = true;
    setRealTimeout(() => {
      willJump = false;
      advancedMs += Math.max(0, (earliest() ?? 0) - now());
      wakeDue();
      jumpSoon();
    });
  }

  function until(instant: number, signal: AbortSignal): Promise<void> {
    if (instant <= now() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      // A timer may come a millisecond early; one more than needed spares a second look.
      const ms = instant - now() + 1;
      const timer = ticking && !auto && ms <= maxTimerMs ? setTimeout(wakeDue, ms) : undefined;
      const wake = () => {
        clearTimeout(timer);
        sleepers.delete(sleeper);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper: Sleeper = { instant, wake };
      sleepers.add(sleeper);
      signal.addEventListener("abort", wake);
      if (auto) jumpSoon();
    });
  }

  return {
    now,
    isAuto: auto,
    advance(by) {
      advancedMs += durationMs(by);
      wakeDue();
    },
    until,
  };
}
