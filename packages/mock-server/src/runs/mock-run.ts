import type { CallContext } from "@quern/json-rpc/handler";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import { type RunEvent, transition } from "@quern/query-run/transition";
import type { ResultSet } from "../results/result-set.ts";
import type { MockQuery } from "../statement/query.ts";
import type { MockClock } from "../time/clock.ts";
import type { Outcome, Plan } from "./plan.ts";
import { nextInstant, type RunScript, type Stage, stageInstant, stageOf } from "./run-script.ts";

/** One run of the mock. What happens to it happens when it is looked at, with the time at which it was due. */
export interface MockRun {
  readonly query: MockQuery;
  /** Plan of the stub that matched when the run was created. */
  readonly plan: Plan;
  /** Ids of the requests that the run serves, and of those among them that no longer want its result. */
  readonly requests: Set<string>;
  readonly withdrawn: Set<string>;
  readonly record: RunRecord;
  /** The rows, once the run has succeeded. */
  readonly result: ResultSet | undefined;
  /** Lets everything happen that is due by now; waits for a statement that is executed, unless the run is ended meanwhile. */
  look(): Promise<void>;
  /** The same, but waits for no statement that is being executed already. */
  glance(signal?: AbortSignal): Promise<void>;
  /** Looks as a client does that polls. */
  polled(signal: AbortSignal): Promise<void>;
  /** Looks until the run, or another that the same HTTP request waits for, has ended, `waitSeconds` are over, or the caller is gone. */
  settled(waitSeconds: number, context: WaitContext): Promise<void>;
  /** Whether the life cycle allows the event now. */
  apply(event: RunEvent): boolean;
}

/** How a call waits, and whether its caller is gone. */
type WaitContext = Pick<CallContext<unknown>, "hold" | "settle" | "signal">;

export interface MockRunOptions {
  readonly record: RunRecord;
  readonly query: MockQuery;
  readonly plan: Plan;
  readonly script: RunScript;
  /** Called once, when the statement is due to end. It never rejects. */
  readonly execute: () => Outcome | Promise<Outcome>;
  readonly clock: MockClock;
}

const never = Number.POSITIVE_INFINITY;

/** How long a caller waits for a statement that is executed. */
interface Patience {
  readonly instant: number;
  readonly signal: AbortSignal | undefined;
}

interface Look extends Partial<Patience> {
  readonly poll?: boolean;
}

export function createMockRun({ record: made, query, plan, script, execute, clock }: MockRunOptions): MockRun {
  let record = made;
  let result: ResultSet | undefined;
  let polls = 0;
  let toldState: string | undefined;
  let execution: Outcome | Promise<Outcome> | undefined;
  const watchers = new Set<AbortController>();

  function apply(event: RunEvent, at = clock.now()): boolean {
    const next = transition(record, event, at);
    if (!next.accepted) return false;
    record = next.run;
    if (isFinal(record.state)) for (const watcher of watchers) watcher.abort();
    return true;
  }

  /** Brings a run to a stage on which it has an engine. A run that was canceled meanwhile refuses the events. */
  async function reach(stage: Stage, patience: Patience): Promise<void> {
    const instant = (reached: Stage) => stageInstant(script, reached, made.createdAt, clock.now());
    if (record.state === "QUERY_STATE_READY") apply({ type: "claimed" }, instant("running"));
    if (stage === "running") return;
    const outcome = await executed(patience);
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

  /** How the statement ends; undefined where the run is ended, or patience is, before it does. */
  async function executed({ instant, signal }: Patience): Promise<Outcome | undefined> {
    execution ??= execute();
    if (!("then" in execution)) return execution;
    const over = new AbortController();
    // What a test executes takes no time on a clock that jumps.
    const gone = waitUntil(clock.isAuto ? never : instant, AbortSignal.any([over.signal, ...(signal ? [signal] : [])]));
    const outcome = await Promise.race([execution, gone.then(() => undefined)]);
    over.abort();
    return outcome;
  }

  /** What a poll finds on a clock that jumps is something new, or an end. */
  async function polled(signal: AbortSignal): Promise<void> {
    if (isFinal(record.state)) return;
    await look({ poll: true, signal });
    if ("ms" in script && !isFinal(record.state)) clock.polledFor(made.createdAt + script.ms);
    const next = nextInstant(script, made.createdAt, clock.now());
    if (clock.isAuto && record.state === toldState && !isFinal(record.state) && next !== undefined) {
      await waitUntil(next, signal);
      await look();
    }
    toldState = record.state;
  }

  async function look({ poll = false, instant = never, signal }: Look = {}): Promise<void> {
    if (poll) polls += 1;
    const stage = stageOf(script, polls, clock.now() - made.createdAt);
    if (stage !== "queued" && !isFinal(record.state)) await reach(stage, { instant, signal });
  }

  /** Waits on the clock, where the script goes by time, and for the run to be ended by somebody else. */
  async function waitUntil(instant: number, signal: AbortSignal, needed = instant): Promise<void> {
    const watcher = new AbortController();
    watchers.add(watcher);
    await clock.until(instant, AbortSignal.any([signal, watcher.signal]), needed);
    watchers.delete(watcher);
  }

  async function ended(waitSeconds: number, signal: AbortSignal, over: AbortSignal): Promise<void> {
    // On a clock that jumps, the waits for a long run double, so that a run of days takes few polls.
    const doubledMs = clock.isAuto && record.state === toldState ? clock.now() - made.createdAt : 0;
    const deadline = clock.now() + Math.max(waitSeconds * 1_000, doubledMs);
    const isOver = () => isFinal(record.state) || clock.now() >= deadline || over.aborted;
    while (!isOver()) {
      // A script that goes by polls takes no time: being held is as good as polling until the end.
      await look({ poll: true, instant: deadline, signal });
      const end = "ms" in script ? made.createdAt + script.ms : undefined;
      if (end !== undefined && !isOver()) await waitUntil(Math.min(deadline, end), over, end);
    }
    await glance(signal);
    toldState = record.state;
  }

  function glance(signal?: AbortSignal): Promise<void> {
    return look({ instant: execution === undefined ? never : clock.now(), signal });
  }

  async function settled(waitSeconds: number, { hold, settle, signal }: WaitContext): Promise<void> {
    await hold((over) => ended(waitSeconds, signal, over));
    if (isFinal(record.state)) settle();
  }

  return {
    query,
    plan,
    requests: new Set(),
    withdrawn: new Set(),
    get record() {
      return record;
    },
    get result() {
      return result;
    },
    look: () => look(),
    glance,
    polled,
    settled,
    apply,
  };
}
