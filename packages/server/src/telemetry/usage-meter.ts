import type { Usage, UsageRecord, UsageStore, UserMonth } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";

const flushMs = 1_000;

/** Of a user's budget of a month, where it is used up. */
export interface SpentBudget {
  /** Seconds of execution. */
  readonly budget: number;
  readonly used: number;
  readonly resetsAt: string;
}

/** Counts what users use. It is kept every second and at the end: a killed server loses the last one. */
export interface UsageMeter {
  ran(run: RunRecord): void;
  read(user: Omit<UserMonth, "month">, bytes: number): void;
  /** Undefined while a user has something left, or no budget. */
  spent(user: Omit<UserMonth, "month">, monthlyExecSeconds: number | undefined): Promise<SpentBudget | undefined>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const nothing: Usage = { execMs: 0, runs: 0, rows: 0, bytesRead: 0 };

export function createUsageMeter(store: UsageStore, clock: Clock, log: Log): UsageMeter {
  let pending = new Map<string, UsageRecord>();
  let flushing: Promise<void> | undefined;

  function add(more: UsageRecord): void {
    const key = keyOf(more);
    const { tenantId, userId, month } = more;
    pending.set(key, { ...sum(pending.get(key) ?? nothing, more), tenantId, userId, month });
  }

  async function keep(): Promise<void> {
    if (pending.size === 0) return;
    const records = [...pending.values()];
    pending = new Map();
    try {
      await store.add(records);
    } catch (error) {
      // It is tried again with what is used until then.
      for (const record of records) add(record);
      throw error;
    }
  }

  function flush(): Promise<void> {
    flushing ??= keep().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  const told = (error: unknown): void => log.error("usage could not be kept", error);
  const timer = setInterval(() => void flush().catch(told), flushMs);
  timer.unref();

  const thisMonth = ({ tenantId, userId }: Omit<UserMonth, "month">): UserMonth => ({
    tenantId,
    userId,
    month: monthOf(clock.now()),
  });

  return {
    ran(run) {
      if (run.startedAt === null) return;
      const execMs = Math.max(0, (run.endedAt ?? run.startedAt) - run.startedAt);
      add({ ...nothing, ...thisMonth(run), execMs, runs: 1, rows: run.result?.rowCount ?? 0 });
    },
    read: (user, bytesRead) => add({ ...nothing, ...thisMonth(user), bytesRead }),
    async spent(user, monthlyExecSeconds) {
      if (monthlyExecSeconds === undefined) return undefined;
      // What is being kept is in neither place for sure.
      await flushing?.catch(() => {});
      const month = thisMonth(user);
      const unkept = pending.get(keyOf(month))?.execMs ?? 0;
      const execMs = (await store.of(month)).execMs + unkept;
      if (execMs < monthlyExecSeconds * 1_000) return undefined;
      return { budget: monthlyExecSeconds, used: execMs / 1_000, resetsAt: nextMonth(clock.now()) };
    },
    flush,
    async close() {
      clearInterval(timer);
      await flushing?.catch(() => {}); // the timer has told of it
      await flush().catch(told);
    },
  };
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

function monthOf(now: Instant): string {
  return new Date(now).toISOString().slice(0, 7);
}

function nextMonth(now: Instant): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)).toISOString();
}
