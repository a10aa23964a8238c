import { isUnavailableError, type RunStore } from "@quern/adapter";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import { applyAlone, hasQuota } from "./changes.ts";
import type { Database } from "./database.ts";
import type { Notices } from "./notices.ts";
import { type ChangedRun, runColumns, saveRuns, storedBytes, storedRun } from "./run-records.ts";

/** Event that waits for its group. */
interface PendingEvent {
  readonly runId: string;
  readonly event: RunEvent;
  resolve(outcome: Transition | undefined): void;
  reject(error: unknown): void;
}

/** Change of a run by an event that it accepts. */
interface PendingChange extends ChangedRun {
  readonly pendingEvent: PendingEvent;
}

/** Maximum number of events of a group. */
const maxGroup = 16;
/** Maximum number of groups at the same time. Events that are made meanwhile share the next one. */
const maxGroups = 4;

const read = `SELECT ${runColumns}, id, now_ms() AS now FROM runs WHERE id = ANY($1::text[])`;

/**
 * Creates the function that applies an event to a run. Events of different runs that are made at the same time share
 * statements and a commit. Each has its own outcome: a run that another writer has locked or changed neither delays nor
 * fails the others.
 */
export function createApply(database: Database, notices: Notices): RunStore["apply"] {
  let pending: PendingEvent[] = [];
  let groups = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // Later, so that the events of a caller who makes several of them at once share a group.
    queueMicrotask(() => {
      isScheduled = false;
      while (pending.length > 0 && groups < maxGroups) void begin(takeGroup());
    });
  }

  /** Takes events of different runs. Another event of the same run is in a later group. */
  function takeGroup(): readonly PendingEvent[] {
    const group = new Map<string, PendingEvent>();
    const rest: PendingEvent[] = [];
    for (const each of pending) {
      if (group.size < maxGroup && !group.has(each.runId)) group.set(each.runId, each);
      else rest.push(each);
    }
    pending = rest;
    return [...group.values()];
  }

  /**
   * Applies the events of a group. Changes of the size of a tenant's results wait for others of the tenant, so that they
   * are apart, and later groups do not wait for them.
   */
  async function begin(group: readonly PendingEvent[]): Promise<void> {
    groups += 1;
    const changes = await attempt(group, () => readChanges(group));
    const sized = changes.filter(changesSize);
    for (const tenant of new Set(sized.map(({ run }) => run.tenantId)))
      void save(sized.filter(({ run }) => run.tenantId === tenant));
    await save(changes.filter((change) => !changesSize(change)));
    groups -= 1;
    schedule();
  }

  /** Reads the runs of events. Resolves the events that change no run. */
  async function readChanges(group: readonly PendingEvent[]): Promise<readonly PendingChange[]> {
    const ids = group.map(({ runId }) => runId);
    const found = new Map((await database.rows(read, ids)).map((row) => [row.id, row]));
    const changes: PendingChange[] = [];
    const unchanged: (() => void)[] = [];
    for (const pendingEvent of group) {
      const { runId, event, resolve } = pendingEvent;
      const row = found.get(runId);
      const before = row && storedRun(row);
      const next = before && transition(before.run, event, Number(row.now));
      if (before && next?.accepted && next.run !== before.run) changes.push({ before, run: next.run, pendingEvent });
      else unchanged.push(() => resolve(next));
    }
    // After the loop, since an unreadable record makes `attempt` apply all events again.
    for (const resolveEvent of unchanged) resolveEvent();
    return changes;
  }

  async function save(changes: readonly PendingChange[]): Promise<void> {
    if (changes.length === 0) return;
    const events = changes.map(({ pendingEvent }) => pendingEvent);
    const [ids] = await attempt(events, async () => [await saveRuns(database, changes)]);
    if (ids === undefined) return;
    const saved = changes.filter(({ run }) => ids.has(run.id));
    for (const { run, pendingEvent } of saved) pendingEvent.resolve({ accepted: true, run });
    notices.publishRuns(saved);
    // Runs that another writer has locked, or has changed since they were read.
    applyEach(events.filter(({ runId }) => !ids.has(runId)));
  }

  /** Performs a step for events. An outage fails all of them. Another error is that of one, so each is applied alone. */
  async function attempt<T>(events: readonly PendingEvent[], step: () => Promise<readonly T[]>): Promise<readonly T[]> {
    try {
      return await step();
    } catch (error) {
      if (isUnavailableError(error)) for (const { reject } of events) reject(error);
      else applyEach(events);
      return [];
    }
  }

  function applyEach(events: readonly PendingEvent[]): void {
    for (const { runId, event, resolve, reject } of events)
      applyAlone(database, notices, runId, event).then(resolve, reject);
  }

  return (runId, event) => {
    if (hasQuota(event)) return applyAlone(database, notices, runId, event);
    return new Promise((resolve, reject) => {
      pending.push({ runId, event, resolve, reject });
      schedule();
    });
  };
}

function changesSize({ before, run }: ChangedRun): boolean {
  return storedBytes(run) !== storedBytes(before.run);
}
