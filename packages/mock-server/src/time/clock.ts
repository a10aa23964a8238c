import { memberCheck } from "../member-check.ts";
import { type Duration, durationMs, durationText } from "./duration.ts";

/** Virtual clock of a mock, for retention, reuse, durations of runs, calls with `waitSeconds`, and delays of faults. */
export interface MockClock {
  /** Returns milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** True if the clock jumps to the next instant that a caller waits for. */
  readonly isAuto: boolean;
  /** True if the clock changes only by `advance`. */
  readonly isManual: boolean;
  /**
   * Moves the clock forward, and wakes all waits that end by then.
   * @throws RangeError for an invalid duration, and for one to a time that a `Date` cannot have
   */
  advance(by: Duration): void;
  /**
   * Resolves at `instant` on this clock, or when the signal is aborted.
   * @param runEnd Instant at which the awaited run ends, for the report that the clock stands still. @default instant
   */
  until(instant: number, signal: AbortSignal, runEnd?: number): Promise<void>;
  /** Records a poll of a run that ends at `runEnd`, for the report that the clock stands still. */
  notePoll(runEnd: number): void;
}

export interface ClockOptions {
  /** Initial time, in milliseconds since 1970. @default the machine's time */
  readonly startAt?: number;
  /**
   * Runs in real time. Otherwise the clock changes only by `advance`, and by jumps if `auto` is true.
   * @default false
   */
  readonly ticking?: boolean;
  /**
   * Jumps to the next instant that a caller waits for, so that waits take no real time: those of calls with
   * `waitSeconds`, of clients that sleep on this clock, of polls that would repeat the last state, and of delays of
   * faults. A poll with `waitSeconds` that would repeat the last state may wait longer than that: as long again as the run
   * has taken.
   * @default false
   */
  readonly auto?: boolean;
  /**
   * Receives a hint, once, when a call waits or a run is polled for a second of real time while the clock stands still.
   * @default console.warn
   */
  readonly onStandstill?: (hint: string) => void;
}

/** Real timers, saved before a test can install fake ones: jumps must not depend on the test's timers. */
const { setTimeout: setRealTimeout, clearTimeout: clearRealTimeout } = globalThis;
const realNow = performance.now.bind(performance);

/** Milliseconds of real time after which a clock that stands still is reported. */
const standstillMs = 1_000;

/** Longest delay of a timer, in milliseconds. */
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
  const by = durationText(ms);
  const text = [
    `the mock's clock stands still, and a call or a run ends only after another ${by} on it; call mock.clock.advance("${by}"),`,
    `or advanceClock with { "by": "${by}" } by HTTP, or create the mock with { clock: { auto: true } }`,
  ].join(" ");
  return wasMoved ? `${text}; an advance affects only runs that were created before it` : text;
}

/** Last time that a `Date` can have. */
const lastInstant = 8_640_000_000_000_000;

/** @throws RangeError for a `startAt` that is not a valid time. TypeError for an unknown option, and for `auto` with `ticking`. */
export function createClock(options: ClockOptions = {}): MockClock {
  checkClock(options);
  const { startAt = Date.now(), ticking = false, auto = false, onStandstill = console.warn } = options;
  if (ticking && auto) throw new TypeError("clock: auto and ticking exclude each other; set only one");
  const madeAt = ticking ? performance.now() : 0;
  if (typeof startAt !== "number" || Number.isNaN(new Date(startAt).getTime()))
    throw new RangeError(`clock: invalid startAt: expected milliseconds since 1970, got ${startAt}`);
  const sleepers = new Set<Sleeper>();
  let advancedMs = 0;
  let willJump = false;
  let isReported = false;
  /** First poll after the last advance. */
  let firstPoll: { readonly advancedMs: number; readonly realMs: number } | undefined;

  const now = () => startAt + advancedMs + (ticking ? Math.floor(performance.now() - madeAt) : 0);

  function wakeDue(): void {
    for (const sleeper of sleepers) if (sleeper.instant <= now()) sleeper.wake();
  }

  /** Returns the earliest instant of a wait; undefined if no wait has a finite one. */
  function earliest(): number | undefined {
    const instants = [...sleepers].map(({ instant }) => instant).filter(Number.isFinite);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /** Starts the timer that reports a wait; the caller clears it when the wait ends. */
  function watchStandstill(ms: number): ReturnType<typeof setTimeout> | undefined {
    if (ticking || auto || isReported || !Number.isFinite(ms)) return undefined;
    const timer = setRealTimeout(() => report(ms), standstillMs);
    // A timer of Node keeps the process alive; one of a browser has no `unref`.
    (timer as { unref?(): void }).unref?.();
    return timer;
  }

  function report(ms: number): void {
    if (!isReported) onStandstill(standstillText(ms, advancedMs > 0));
    isReported = true;
  }

  function notePoll(runEnd: number): void {
    if (ticking || auto || isReported) return;
    if (firstPoll?.advancedMs !== advancedMs) firstPoll = { advancedMs, realMs: realNow() };
    else if (realNow() - firstPoll.realMs >= standstillMs) report(runEnd - now());
  }

  /** Jumps to one instant at a time, because a woken caller may wait again for an instant before the others. */
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

  function until(instant: number, signal: AbortSignal, runEnd = instant): Promise<void> {
    if (instant <= now() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      // Timers may fire a millisecond early, when the instant is not due yet.
      const ms = instant - now() + 1;
      const timer = ticking && !auto && ms <= maxTimerMs ? setTimeout(wakeDue, ms) : undefined;
      const hint = watchStandstill(runEnd - now());
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
    isManual: !auto && !ticking,
    advance(by) {
      const ms = durationMs(by);
      if (now() + ms > lastInstant)
        throw new RangeError(
          `Invalid duration: ${JSON.stringify(by)}; the clock can advance to ${new Date(lastInstant).toISOString()} at most`,
        );
      advancedMs += ms;
      wakeDue();
    },
    until,
    notePoll,
  };
}
