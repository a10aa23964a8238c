import { memberCheck } from "../member-check.ts";
import { type Duration, durationMs } from "./duration.ts";

/** Virtual clock of a mock: retention, reuse, durations of runs and held calls go by it. */
export interface MockClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** True if it jumps to the next instant that a caller waits for. */
  readonly isAuto: boolean;
  /** Moves the time forward and wakes whatever waited for an instant on the way. */
  advance(by: Duration): void;
  /**
   * Resolves once the time is `instant` or later, or the signal is aborted.
   * @param needed When the run ends that a call waits for, for the hint that nobody moves the clock. @default instant
   */
  until(instant: number, signal: AbortSignal, needed?: number): Promise<void>;
  /** Notes that a caller polls for a run that ends at an instant, for the hint that nobody moves the clock. */
  polledFor(instant: number): void;
}

export interface ClockOptions {
  /** Time at the start, in milliseconds since 1970. @default the machine's time */
  readonly startAt?: number;
  /** Lets time also pass by itself. Otherwise the clock stands still between calls of `advance`. @default false */
  readonly ticking?: boolean;
  /**
   * Lets it jump to the next instant that a caller waits for, so that waits take no time: calls that are held, clients that
   * sleep by it, and polls of a run that tell nothing new until its next change. A held poll that tells nothing new may wait for longer
   * than its `waitSeconds`: for as long again as the run has taken. @default false
   */
  readonly auto?: boolean;
  /**
   * Reports the first wait on a clock that stands still or run of polls which takes a second of real time, with the line that ends it.
   * @default console.warn
   */
  readonly onStandstill?: (hint: string) => void;
}

/** Taken before a test can put fake timers in its place: a jump is of the mock's time, and must not wait for the test's. */
const { setTimeout: setRealTimeout, clearTimeout: clearRealTimeout } = globalThis;
const realNow = performance.now.bind(performance);

/** Real time after which a wait on a clock that stands still is reported. */
const hintMs = 1_000;

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
  onStandstill: {},
});

function standstillText(ms: number, wasMoved: boolean): string {
  const text = [
    `a call waits ${ms} ms on the mock's clock, which nobody moves: call mock.clock.advance("${ms}ms"),`,
    `or advanceClock with { "by": "${ms}ms" } by HTTP, or make the mock with { clock: { auto: true } }`,
  ].join(" ");
  return wasMoved ? `${text}; an advance counts for runs that are created before it` : text;
}

/** @throws RangeError for a start that is no time. */
export function createClock(options: ClockOptions = {}): MockClock {
  checkClock(options);
  const { startAt = Date.now(), ticking = false, auto = false, onStandstill = console.warn } = options;
  const madeAt = ticking ? performance.now() : 0;
  if (typeof startAt !== "number" || Number.isNaN(new Date(startAt).getTime()))
    throw new RangeError(`a clock starts at a time in milliseconds since 1970, not at ${startAt}`);
  const sleepers = new Set<Sleeper>();
  let advancedMs = 0;
  let willJump = false;
  let isReported = false;
  /** First poll since the clock was moved. */
  let firstPoll: { readonly advancedMs: number; readonly realMs: number } | undefined;

  const now = () => startAt + advancedMs + (ticking ? Math.floor(performance.now() - madeAt) : 0);

  function wakeDue(): void {
    for (const sleeper of sleepers) if (sleeper.instant <= now()) sleeper.wake();
  }

  /** The next instant that somebody waits for; some wait for none. */
  function earliest(): number | undefined {
    const instants = [...sleepers].map(({ instant }) => instant).filter(Number.isFinite);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /** Reports a wait that no call of `advance` ends; the caller clears the timer when it ends. */
  function watchStandstill(ms: number): ReturnType<typeof setTimeout> | undefined {
    if (ticking || auto || isReported || !Number.isFinite(ms)) return undefined;
    const timer = setRealTimeout(() => report(ms), hintMs);
    // Only in Node does a timer keep a process alive.
    (timer as { unref?(): void }).unref?.();
    return timer;
  }

  function report(ms: number): void {
    if (!isReported) onStandstill(standstillText(ms, advancedMs > 0));
    isReported = true;
  }

  function polledFor(instant: number): void {
    if (ticking || auto || isReported) return;
    if (firstPoll?.advancedMs !== advancedMs) firstPoll = { advancedMs, realMs: realNow() };
    else if (realNow() - firstPoll.realMs >= hintMs) report(instant - now());
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

  function until(instant: number, signal: AbortSignal, needed = instant): Promise<void> {
    if (instant <= now() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      // A timer may come a millisecond early; one more than needed spares a second look.
      const ms = instant - now() + 1;
      const timer = ticking && !auto && ms <= maxTimerMs ? setTimeout(wakeDue, ms) : undefined;
      const hint = watchStandstill(needed - now());
      const wake = () => {
        clearTimeout(timer);
        clearRealTimeout(hint);
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
    polledFor,
  };
}
