import type { CallContext } from "@quern/json-rpc/handler";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import { type RunEvent, transition } from "@quern/query-run/transition";
import type { ResultSet } from "../results/result-set.ts";
import type { MockQuery } from "../statement/query.ts";
import type { MockClock } from "../time/clock.ts";
import type { Outcome, Plan } from "./plan.ts";
import { nextInstant, type RunScript, type Stage, shareOf, stageInstant, stageOf } from "./run-script.ts";

/**
 * Run of the mock. It has no timer: it changes only when a call, a reset or the end of the namespace applies events,
 * which carry the instants at which they were due.
 */
export interface MockRun {
  readonly query: MockQuery;
  /** Plan of the stub that matched when the run was created. */
  readonly plan: Plan;
  /** Ids of the requests that the run serves. */
  readonly requests: Set<string>;
  /** Ids of the requests that were withdrawn. */
  readonly withdrawn: Set<string>;
  readonly record: RunRecord;
  /** Completed share of the statement, from 0 to 1; undefined unless the run executes. */
  readonly progress: number | undefined;
  /** Rows of the run; undefined until it succeeds. */
  readonly result: ResultSet | undefined;
  /** Applies all transitions that are due; waits for a statement that is being executed, until it or the run ends. */
  update(): Promise<void>;
  /**
   * Applies all transitions that are due. Unless the clock is `auto`, it does not wait for a statement that is already
   * being executed.
   */
  updateNow(signal?: AbortSignal): Promise<void>;
  /** Counts a poll, and updates the run. */
  poll(signal: AbortSignal): Promise<void>;
  /**
   * Delays the answer to a call until the run ends, another run of the same HTTP request ends, `waitSeconds` are over,
   * or the caller disconnects. On an auto clock the wait may be longer than `waitSeconds`.
   */
  waitForEnd(waitSeconds: number, context: WaitContext): Promise<void>;
  /** Applies an event; returns false if the life cycle refuses it in the current state. */
  apply(event: RunEvent): boolean;
}

/** Part of a call's context that lets the call wait, and reports that its caller has disconnected. */
type WaitContext = Pick<CallContext<unknown>, "hold" | "endWaits" | "signal">;

export interface MockRunOptions {
  readonly record: RunRecord;
  readonly query: MockQuery;
  readonly plan: Plan;
  readonly script: RunScript;
  /**
   * Executes the statement; called at most once, when the end of the run or the streaming of its rows is due. It never
   * rejects.
   */
  readonly execute: () => Outcome | Promise<Outcome>;
  readonly clock: MockClock;
}

const never = Number.POSITIVE_INFINITY;

/** Bounds on the wait for a statement that is being executed. */
interface ExecutionWait {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

interface UpdateOptions extends Partial<ExecutionWait> {
  readonly isPoll?: boolean;
}

export function createMockRun({ record: created, query, plan, script, execute, clock }: MockRunOptions): MockRun {
  let record = created;
  let result: ResultSet | undefined;
  let polls = 0;
  let reportedState: string | undefined;
  let execution: Outcome | Promise<Outcome> | undefined;
  const waits = new Set<AbortController>();

  function apply(event: RunEvent, at = clock.now()): boolean {
    const next = transition(record, event, at);
    if (!next.accepted) return false;
    record = next.run;
    if (isFinal(record.state)) for (const wait of waits) wait.abort();
    return true;
  }

  /** Applies the events that bring the run to a stage. A run that was canceled meanwhile refuses them. */
  async function advanceTo(stage: Stage, wait: ExecutionWait): Promise<void> {
    const instant = (reached: Stage) => stageInstant(script, reached, created.createdAt, clock.now());
    if (record.state === "QUERY_STATE_READY") begin(instant("running"));
    if (stage === "running") return;
    const outcome = await executed(wait);
    if (outcome === undefined) return;
    const { attempt } = record;
    if (outcome.failure !== undefined) {
      if (stage === "ended") apply({ type: "failed", attempt, failure: outcome.failure }, instant("ended"));
      return;
    }
    if (record.state === "QUERY_STATE_RUNNING") apply({ type: "executed", attempt }, instant("streaming"));
    if (stage === "streaming") return;
    const { columns, rows } = outcome.result;
    const totalBytes = new TextEncoder().encode(JSON.stringify(rows)).length;
    const event: RunEvent = { type: "committed", attempt, result: { columns, rowCount: rows.length, totalBytes } };
    if (apply(event, instant("ended"))) result = outcome.result;
  }

  function begin(at: number): void {
    apply({ type: "claimed" }, at);
    const { dataSourceQueryId: engineQueryId } = plan;
    if (engineQueryId !== undefined) apply({ type: "begun", attempt: record.attempt, engineQueryId }, at);
  }

  /** Returns the outcome of the statement; undefined if the run ends first, or the wait does. */
  async function executed({ deadline, signal }: ExecutionWait): Promise<Outcome | undefined> {
    execution ??= execute();
    if (!("then" in execution)) return execution;
    const finished = new AbortController();
    const signals = [finished.signal, ...(signal ? [signal] : [])];
    // No deadline on an auto clock: it would jump to the deadline while `execute` still runs in real time.
    const interrupted = waitUntil(clock.isAuto ? never : deadline, AbortSignal.any(signals));
    const outcome = await Promise.race([execution, interrupted.then(() => undefined)]);
    finished.abort();
    return outcome;
  }

  /** On an auto clock, a poll that would repeat the last reported state jumps to the next stage instead. */
  async function poll(signal: AbortSignal): Promise<void> {
    if (isFinal(record.state)) return;
    await update({ isPoll: true, signal });
    if ("ms" in script && !isFinal(record.state)) clock.notePoll(created.createdAt + script.ms);
    const next = nextInstant(script, created.createdAt, clock.now());
    if (clock.isAuto && record.state === reportedState && !isFinal(record.state) && next !== undefined) {
      await waitUntil(next, signal);
      await update();
    }
    reportedState = record.state;
  }

  async function update({ isPoll = false, deadline = never, signal }: UpdateOptions = {}): Promise<void> {
    if (isPoll) polls += 1;
    const stage = stageOf(script, polls, clock.now() - created.createdAt);
    if (stage !== "queued" && !isFinal(record.state)) await advanceTo(stage, { deadline, signal });
  }

  /**
   * Waits on the clock until an instant, an abort, or the end of the run by another call.
   * @param runEnd Instant at which the run ends, for the report that the clock stands still.
   */
  async function waitUntil(instant: number, signal: AbortSignal, runEnd = instant): Promise<void> {
    const wait = new AbortController();
    waits.add(wait);
    await clock.until(instant, AbortSignal.any([signal, wait.signal]), runEnd);
    waits.delete(wait);
  }

  async function heldUntilEnd(waitSeconds: number, callerSignal: AbortSignal, holdSignal: AbortSignal): Promise<void> {
    // On an auto clock each further wait lasts at least as long as the run so far, so that a run of days takes few
    // polls.
    const doubledMs = clock.isAuto && record.state === reportedState ? clock.now() - created.createdAt : 0;
    const deadline = clock.now() + Math.max(waitSeconds * 1_000, doubledMs);
    const isOver = () => isFinal(record.state) || clock.now() >= deadline || holdSignal.aborted;
    while (!isOver()) {
      // A script of polls needs no time: a call with `waitSeconds` counts polls until the run ends.
      await update({ isPoll: true, deadline, signal: callerSignal });
      const end = "ms" in script ? created.createdAt + script.ms : undefined;
      if (end !== undefined && !isOver()) await waitUntil(Math.min(deadline, end), holdSignal, end);
    }
    await updateNow(callerSignal);
    reportedState = record.state;
  }

  function updateNow(signal?: AbortSignal): Promise<void> {
    return update({ deadline: execution === undefined ? never : clock.now(), signal });
  }

  async function waitForEnd(waitSeconds: number, { hold, endWaits, signal }: WaitContext): Promise<void> {
    await hold((holdSignal) => heldUntilEnd(waitSeconds, signal, holdSignal));
    if (isFinal(record.state)) endWaits();
  }

  return {
    query,
    plan,
    requests: new Set(),
    withdrawn: new Set(),
    get record() {
      return record;
    },
    get progress() {
      if (record.state !== "QUERY_STATE_RUNNING") return undefined;
      return shareOf(script, polls, clock.now() - created.createdAt);
    },
    get result() {
      return result;
    },
    update: () => update(),
    updateNow,
    poll,
    waitForEnd,
    apply,
  };
}
