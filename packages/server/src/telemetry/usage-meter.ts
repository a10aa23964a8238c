import type { Usage, UsageRecord, UsageStore, UserMonth } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";

const flushMs = 1_000;
const maxMeasured = 10_000;

/** User whose time is counted. */
export type KnownUser = Omit<UserMonth, "month">;

/** Exhausted monthly budget of a user, in seconds of execution. */
export interface SpentBudget {
  readonly budget: number;
  readonly used: number;
  /** ISO 8601 time at which the next month begins. */
  readonly resetsAt: string;
}

/**
 * Counts the execution time, rows and bytes of each user. The counts go to the store every second and on close; a
 * server that is killed loses the last second.
 */
export interface UsageMeter {
  /** Starts to measure the execution time of a run that this server has claimed. */
  claimed(run: RunRecord): void;
  /** Adds a run that ended. A run that ended while it was queued is not counted. */
  ran(run: RunRecord): void;
  /** Adds the time of a call that inspected a data source. */
  inspected(user: KnownUser, execMs: number): void;
  /** Adds the bytes of a page or download. */
  read(user: KnownUser, bytes: number): void;
  /**
   * Returns the exhausted budget of a user; undefined while some of it is left.
   * @param monthlyExecSeconds undefined is no budget
   * @param executingMs time of the user's runs and calls so far that have not ended @default 0
   */
  spent(
    user: KnownUser,
    monthlyExecSeconds: number | undefined,
    executingMs?: number,
  ): Promise<SpentBudget | undefined>;
  /** Writes the counts to the store. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const nothing: Usage = { execMs: 0, runs: 0, rows: 0, bytesRead: 0 };

export function createUsageMeter(store: UsageStore, clock: Clock, log: Log): UsageMeter {
  let pending = new Map<string, UsageRecord>();
  /** Times by the monotonic clock at which runs were claimed: a change of the system clock must not be charged. */
  const startedAt = new Map<string, number>();
  const elapsed = clock.elapsed ?? clock.now;
  let flushing: Promise<void> | undefined;

  function add(more: UsageRecord): void {
    const key = keyOf(more);
    const { tenantId, userId, month } = more;
    pending.set(key, { ...sum(pending.get(key) ?? nothing, more), tenantId, userId, month });
  }

  async function write(): Promise<void> {
    if (pending.size === 0) return;
    const records = [...pending.values()];
    pending = new Map();
    try {
      await store.add(records);
    } catch (error) {
      // The next flush retries, with the usage added meanwhile.
      for (const record of records) add(record);
      throw error;
    }
  }

  function flush(): Promise<void> {
    flushing ??= write().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  const logFailure = (error: unknown): void => log.error("usage could not be written to the store", error);
  let isFailing = false;
  const timer = setInterval(() => {
    flush().then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        if (!isFailing) logFailure(error); // once, not every second
        isFailing = true;
      },
    );
  }, flushMs);
  timer.unref();

  const thisMonth = ({ tenantId, userId }: KnownUser): UserMonth => ({
    tenantId,
    userId,
    month: monthOf(clock.now()),
  });

  return {
    claimed({ id }) {
      startedAt.delete(id);
      startedAt.set(id, elapsed());
      // A run that ends on another server stays in the map until it is the oldest one.
      const [oldest] = startedAt.keys();
      if (startedAt.size > maxMeasured && oldest !== undefined) startedAt.delete(oldest);
    },
    ran(run) {
      const start = startedAt.get(run.id);
      startedAt.delete(run.id);
      if (run.startedAt === null) return;
      const execMs = start === undefined ? recordedMs(run) : Math.round(elapsed() - start);
      add({ ...nothing, ...thisMonth(run), execMs, runs: 1, rows: run.result?.rowCount ?? 0 });
    },
    inspected: (user, execMs) => add({ ...nothing, ...thisMonth(user), execMs: Math.ceil(execMs) }),
    read: (user, bytesRead) => add({ ...nothing, ...thisMonth(user), bytesRead }),
    async spent(user, monthlyExecSeconds, executingMs = 0) {
      if (monthlyExecSeconds === undefined) return undefined;
      // During a flush the counts are neither in `pending` nor yet in the store.
      await flushing?.catch(() => {});
      const month = thisMonth(user);
      const pendingMs = pending.get(keyOf(month))?.execMs ?? 0;
      const execMs = (await store.get(month)).execMs + pendingMs + executingMs;
      if (execMs < monthlyExecSeconds * 1_000) return undefined;
      return { budget: monthlyExecSeconds, used: execMs / 1_000, resetsAt: nextMonth(clock.now()) };
    },
    flush,
    async close() {
      clearInterval(timer);
      await flushing?.catch(() => {}); // the timer has logged it
      await flush().catch(logFailure);
    },
  };
}

/**
 * Returns the execution time by the clock of the store, for a run of another server. A statement cannot execute longer
 * than its time limit, but the clock may have been changed meanwhile.
 */
function recordedMs({ startedAt, endedAt, statementTimeoutSeconds }: RunRecord): number {
  if (startedAt === null || endedAt === null) return 0;
  return Math.min(Math.max(0, endedAt - startedAt), statementTimeoutSeconds * 1_000);
}

function keyOf({ tenantId, userId, month }: UserMonth): string {
  return JSON.stringify([tenantId, userId, month]);
}

function sum(one: Usage, other: Usage): Usage {
  return {
    execMs: one.execMs + other.execMs,
    runs: one.runs + other.runs,
    rows: one.rows + other.rows,
    bytesRead: one.bytesRead + other.bytesRead,
  };
}

/** Returns the calendar month (UTC) of an instant, such as `2026-11`. */
export function monthOf(now: Instant): string {
  return new Date(now).toISOString().slice(0, 7);
}

/** Returns the ISO 8601 time at which the next month begins. */
export function nextMonth(now: Instant): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)).toISOString();
}
