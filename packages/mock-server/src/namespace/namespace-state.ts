import type { GetQueryRunDownloadParams } from "@quern/protocol/types";
import { maxPageBytes as defaultMaxPageBytes } from "@quern/query-run/page";
import { type Instant, isFinal, type RequestRecord, type StatementRecord } from "@quern/query-run/record";
import type { UploadFormat } from "@quern/query-run/upload";
import { createFaultSchedule, type FaultSchedule } from "../faults/schedule.ts";
import { createHistory, type HistoryRecorder } from "../history/history.ts";
import type { RecordingState } from "../recording/middleware.ts";
import { createAnswers } from "../recording/recorder.ts";
import { recordingOf } from "../recording/recording.ts";
import { createReplay, type Replay } from "../recording/replay.ts";
import { defaultRows, executed } from "../runs/execute.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { type Outcome, type Plan, thrownOutcome } from "../runs/plan.ts";
import { firstPoll, type RunScript } from "../runs/run-script.ts";
import type { MockQuery } from "../statement/query.ts";
import { createStubList, type StubList } from "../stubs/stub-list.ts";
import { createClock, type MockClock } from "../time/clock.ts";
import { createVariation, type Variation } from "../variation/variation.ts";
import type { NamespaceOptions } from "./options.ts";

/** State of one API key: time, runs, requests, statements, stubs and faults. */
export interface NamespaceState {
  readonly clock: MockClock;
  readonly stubs: StubList;
  readonly faults: FaultSchedule;
  readonly variation: Variation | undefined;
  readonly history: HistoryRecorder;
  readonly replay: Replay | undefined;
  /**
   * Service to which calls are forwarded, with its recorded answers; undefined unless the namespace records a service.
   */
  readonly recorder: RecordingState["recorder"];
  /** Runs by id, the oldest first. */
  readonly runs: ReadonlyMap<string, MockRun>;
  /** Statements by id. */
  readonly statements: Map<string, RequestedStatement>;
  /** Requests by idempotency key. */
  readonly idempotentRequests: Map<string, IdempotentRequest>;
  /** Instants of withdrawals by an idempotency key without a remembered `createQueryRun` call. */
  readonly withdrawnKeys: Map<string, Instant>;
  /** Links to files, by the last part of their path. */
  readonly links: Map<string, DownloadLink>;
  /** Uploads that no run has used, by id. */
  readonly uploads: Map<string, MockUpload>;
  /** Largest size of a page's rows, in bytes of JSON. */
  readonly maxPageBytes: number;
  nextId(prefix: "req" | "run"): string;
  addRun(run: MockRun): void;
  /** Returns the position of a run among the queued runs, from 1, the oldest first; undefined unless it is queued. */
  queuePosition(run: MockRun): number | undefined;
  /** Returns the runs of a reuse key, the oldest first. */
  runsByReuseKey(reuseKey: string): readonly MockRun[];
  /**
   * Chooses the stub for a statement. A strict namespace without `execute` fails a statement without a stub, and notes
   * it in the history.
   */
  planFor(query: MockQuery): Plan;
  /**
   * Returns the plan for the latest `describeQuery` call of a statement; undefined unless a stub violates the contract.
   */
  describedPlan(query: MockQuery): Plan | undefined;
  scriptOf(plan: Plan): RunScript;
  outcomeOf(plan: Plan, query: MockQuery): Outcome | Promise<Outcome>;
  /** Aborted on reset or end, which also ends the delays of faults. */
  readonly endSignal: AbortSignal;
  /**
   * Cancels the runs, and forgets runs, stubs, faults and calls. The stubs of the option `stubs` start anew. The clock
   * keeps its time.
   */
  reset(): void;
  /** Cancels the runs, also those that in-flight calls still create, so that no call waits for a run any longer. */
  end(): void;
}

/** Statement and the requests for it, the oldest first. */
export interface RequestedStatement {
  readonly statement: StatementRecord;
  readonly requests: RequestRecord[];
}

/** Link to the rows of a run. */
export interface DownloadLink {
  readonly params: GetQueryRunDownloadParams;
  /** Name under which a browser saves the file. */
  readonly fileName: string;
  readonly contentType: string;
  readonly expiresAt: Instant;
}

/** Upload, without the bytes of its file. */
interface MockUpload {
  readonly format: UploadFormat;
  readonly maxBytes: number;
  readonly expiresAt: Instant;
  /** SHA-256 of the file; undefined until it was sent. */
  readonly file: string | undefined;
}

/** Request that was made with an idempotency key. */
interface IdempotentRequest {
  readonly request: RequestRecord;
  /** Text of the params, which repetitions of the call have in common. */
  readonly text: string;
}

/** User of every key; the OpenRPC document's examples have the same id. */
export const userId = "user_first";

export function createNamespaceState({
  clock,
  maxPageBytes = defaultMaxPageBytes,
  variationSeed,
  replay: recording,
  record,
  stubs: shared,
  seed,
  strict = false,
  onUnmatched,
  execute,
}: NamespaceOptions): NamespaceState {
  if (execute !== undefined && typeof execute !== "function")
    throw new TypeError(`execute: expected a function, got ${typeof execute}`);
  if (strict && onUnmatched !== undefined)
    throw new TypeError(
      "onUnmatched: a strict mock fails unmatched statements; set only one of strict and onUnmatched",
    );
  const counts = { req: 0, run: 0 };
  const runs = new Map<string, MockRun>();
  const byReuseKey = new Map<string, MockRun[]>();
  /** Runs that were queued when the queue was last read, the oldest first. */
  const queue = new Set<MockRun>();
  const stubs = createStubList(shared);
  const rowsOf = execute ?? defaultRows(seed);
  const describedPlans = new Map<string, Plan>();
  const variation = variationSeed === undefined ? undefined : createVariation(variationSeed);
  const history = createHistory();
  const faults = createFaultSchedule();
  const replay = recording && createReplay(recordingOf(recording), history.recordUnexpected);
  const statements: NamespaceState["statements"] = new Map();
  const idempotentRequests: NamespaceState["idempotentRequests"] = new Map();
  const withdrawnKeys: NamespaceState["withdrawnKeys"] = new Map();
  const links: NamespaceState["links"] = new Map();
  const uploads: NamespaceState["uploads"] = new Map();
  let endController: AbortController | undefined;
  let isEnded = false;

  function cancelAll(): void {
    endController?.abort();
    endController = undefined;
    for (const run of runs.values()) if (!isFinal(run.record.state)) run.apply({ type: "canceled" });
  }

  function unexpectedOutcome(text: string): Outcome {
    history.recordUnexpected(text);
    return thrownOutcome(Object.assign(new Error(text), { name: "UnexpectedStatement" }));
  }

  function warnOfUnmatched(text: string): Plan {
    console.warn(`mock server: ${text}`);
    return {};
  }

  const unmatched = strict
    ? (text: string) => ({ outcome: unexpectedOutcome(text) })
    : onUnmatched === "warn"
      ? warnOfUnmatched
      : undefined;

  return {
    clock: createClock(clock),
    stubs,
    faults,
    variation,
    history,
    replay,
    recorder: record && { ...createAnswers(), fetch: globalThis.fetch, ...record },
    runs,
    statements,
    idempotentRequests,
    withdrawnKeys,
    links,
    uploads,
    maxPageBytes,
    nextId(prefix) {
      const number = ++counts[prefix];
      return variation?.id(prefix, number) ?? `${prefix}_${number}`;
    },
    addRun(run) {
      const { id, reuseKey } = run.record;
      runs.set(id, run);
      queue.add(run);
      const others = byReuseKey.get(reuseKey);
      if (others === undefined) byReuseKey.set(reuseKey, [run]);
      else others.push(run);
      if (isEnded) run.apply({ type: "canceled" });
    },
    queuePosition(run) {
      let position = 0;
      for (const each of queue) {
        if (each.record.state === "QUERY_STATE_READY") position += 1;
        else queue.delete(each);
        if (each === run) return queue.has(run) ? position : undefined;
      }
      return undefined;
    },
    runsByReuseKey: (reuseKey) => byReuseKey.get(reuseKey) ?? [],
    planFor(query) {
      const plan = stubs.planFor(query, execute === undefined ? unmatched : undefined);
      if (query.describes && stubs.violateContract) describedPlans.set(JSON.stringify(query), plan);
      return plan;
    },
    describedPlan: (query) => describedPlans.get(JSON.stringify(query)),
    scriptOf: ({ script }) => script ?? variation?.script(runs.size) ?? firstPoll,
    outcomeOf({ outcome, stub }, query) {
      if (outcome !== undefined || !strict || stub === undefined || (execute ?? seed) !== undefined)
        return outcome ?? executed(rowsOf, query);
      return unexpectedOutcome(`when(${stub}) has no answer; add rows, fails or sequence to it`);
    },
    get endSignal() {
      if (isEnded) return AbortSignal.abort();
      // Created on first use, since most namespaces delay no call.
      endController ??= new AbortController();
      return endController.signal;
    },
    reset() {
      cancelAll();
      const records = [runs, queue, byReuseKey, describedPlans, statements, idempotentRequests, withdrawnKeys];
      for (const record of [...records, links, uploads, stubs, faults, history, replay]) record?.clear();
      Object.assign(counts, { req: 0, run: 0 });
    },
    end() {
      isEnded = true;
      cancelAll();
    },
  };
}
