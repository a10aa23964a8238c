import { maxPageBytes as defaultMaxPageBytes } from "@quern/query-run/page";
import { type Instant, isFinal, type RequestRecord, type StatementRecord } from "@quern/query-run/record";
import { createFaults, type Faults } from "../faults/schedule.ts";
import { createHistory, type KeptHistory } from "../history/history.ts";
import type { RecordingState } from "../recording/middleware.ts";
import { createAnswers } from "../recording/recorder.ts";
import { recordingOf } from "../recording/recording.ts";
import { createReplay, type Replay } from "../recording/replay.ts";
import { defaultRows, executed } from "../runs/execute.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { type Outcome, type Plan, thrownOutcome } from "../runs/plan.ts";
import { firstPoll, type RunScript } from "../runs/run-script.ts";
import { createShake, type Shake } from "../shake/shake.ts";
import type { MockQuery } from "../statement/query.ts";
import { createStubList, type StubList } from "../stubs/stub-list.ts";
import { createClock, type MockClock } from "../time/clock.ts";
import type { NamespaceOptions } from "./options.ts";

/** What one API key sees: its own time, runs, requests and statements, how its statements end and what goes wrong. */
export interface Namespace {
  readonly clock: MockClock;
  readonly stubs: StubList;
  readonly faults: Faults;
  readonly shake: Shake | undefined;
  readonly history: KeptHistory;
  readonly replay: Replay | undefined;
  /** Forwards calls to the service that is recorded. */
  readonly recorder: RecordingState["recorder"];
  /** By id, the oldest first. */
  readonly runs: ReadonlyMap<string, MockRun>;
  /** By id. */
  readonly statements: Map<string, AskedStatement>;
  readonly idempotentRequests: Map<string, IdempotentRequest>;
  /** Instant of each withdrawal by an idempotency key whose create had not arrived. */
  readonly withdrawnKeys: Map<string, Instant>;
  /** Bytes of JSON that the rows of one page may have. */
  readonly maxPageBytes: number;
  nextId(prefix: "req" | "run"): string;
  addRun(run: MockRun): void;
  /** Runs that would give the same result, the oldest first. */
  runsAlike(reuseKey: string): readonly MockRun[];
  /** Chooses the stub for a statement; in a strict namespace, a statement without one fails and is noted in the history. */
  planFor(query: MockQuery): Plan;
  /** Plan of the stub that matched when a statement was described last; undefined where no stub is unsafe. */
  describedPlan(query: MockQuery): Plan | undefined;
  scriptOf(plan: Plan): RunScript;
  outcomeOf(plan: Plan, query: MockQuery): Outcome | Promise<Outcome>;
  /** Aborted when it is reset or ended: no call is held beyond that. */
  readonly over: AbortSignal;
  /** Cancels its runs and forgets all that has happened and was planned. Its clock goes on. */
  reset(): void;
  /** Cancels its runs, also those that calls on their way still make, so that no call is held any longer. */
  end(): void;
}

/** A statement, and the requests for it, the oldest first. */
export interface AskedStatement {
  readonly statement: StatementRecord;
  readonly requests: RequestRecord[];
}

/** A request that was made with an idempotency key. */
interface IdempotentRequest {
  readonly request: RequestRecord;
  /** What equal calls have in common. */
  readonly text: string;
}

/** The user whose key it is, as the document's examples name the first one. */
export const userId = "user_first";

export function createNamespace({
  clock,
  maxPageBytes = defaultMaxPageBytes,
  shake: shakeSeed,
  replay: recording,
  record,
  stubs: shared,
  seed,
  strict = false,
  execute,
}: NamespaceOptions): Namespace {
  if (execute !== undefined && typeof execute !== "function")
    throw new TypeError(`execute: expected a function, got ${typeof execute}`);
  const counts = { req: 0, run: 0 };
  const runs = new Map<string, MockRun>();
  const alike = new Map<string, MockRun[]>();
  const stubs = createStubList(shared);
  const rowsOf = execute ?? defaultRows(seed);
  const described = new Map<string, Plan>();
  const shake = shakeSeed === undefined ? undefined : createShake(shakeSeed);
  const history = createHistory();
  const faults = createFaults();
  const replay = recording && createReplay(recordingOf(recording), history.miss);
  const statements: Namespace["statements"] = new Map();
  const idempotentRequests: Namespace["idempotentRequests"] = new Map();
  const withdrawnKeys: Namespace["withdrawnKeys"] = new Map();
  let over: AbortController | undefined;
  let isEnded = false;

  function cancelAll(): void {
    over?.abort();
    over = undefined;
    for (const run of runs.values()) if (!isFinal(run.record.state)) run.apply({ type: "canceled" });
  }

  return {
    clock: createClock(clock),
    stubs,
    faults,
    shake,
    history,
    replay,
    recorder: record && { ...createAnswers(), fetch: globalThis.fetch, ...record },
    runs,
    statements,
    idempotentRequests,
    withdrawnKeys,
    maxPageBytes,
    nextId(prefix) {
      const number = ++counts[prefix];
      return shake?.id(prefix, number) ?? `${prefix}_${number}`;
    },
    addRun(run) {
      const { id, reuseKey } = run.record;
      runs.set(id, run);
      const others = alike.get(reuseKey);
      if (others === undefined) alike.set(reuseKey, [run]);
      else others.push(run);
      if (isEnded) run.apply({ type: "canceled" });
    },
    runsAlike: (reuseKey) => alike.get(reuseKey) ?? [],
    planFor(query) {
      const plan = stubs.planFor(query, strict && execute === undefined ? history.miss : undefined);
      if (query.describes && stubs.areUnsafe) described.set(JSON.stringify(query), plan);
      return plan;
    },
    describedPlan: (query) => described.get(JSON.stringify(query)),
    scriptOf: ({ script }) => script ?? shake?.script(runs.size) ?? firstPoll,
    outcomeOf({ outcome, stub }, query) {
      if (outcome !== undefined || !strict || stub === undefined || (execute ?? seed) !== undefined)
        return outcome ?? executed(rowsOf, query);
      const text = `when(${stub}) has no answer; add rows, fails or sequence to it`;
      history.miss(text);
      return thrownOutcome(Object.assign(new Error(text), { name: "UnexpectedStatement" }));
    },
    get over() {
      if (isEnded) return AbortSignal.abort();
      // Made when it is wanted: most namespaces hold no call.
      over ??= new AbortController();
      return over.signal;
    },
    reset() {
      cancelAll();
      const records = [runs, alike, described, statements, idempotentRequests, withdrawnKeys];
      for (const forgotten of [...records, stubs, faults, history, replay]) forgotten?.clear();
      Object.assign(counts, { req: 0, run: 0 });
    },
    end() {
      isEnded = true;
      cancelAll();
    },
  };
}
