import type { SourceKind, Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { createRunChanges, type RunChanges } from "../../src/runs/run-changes.ts";
import type { ExecutionDependencies } from "../../src/scheduler/execution.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { createTestClock, idleKind, type TestClock, writtenExecution } from "../fixture.ts";

/** What surrounds an execution, with an engine of the test and results that are files nowhere. */
export interface TestDependencies extends ExecutionDependencies {
  readonly store: Store;
  readonly changes: RunChanges;
  readonly clock: TestClock;
  /** What became of results, in order: `commit`, `remove`, `release`. */
  readonly files: readonly string[];
  /** What the operator was told. */
  readonly told: readonly string[];
  /** Queries that were canceled on their engine by their ids. */
  readonly canceled: readonly string[];
  /** The ids of the runs that were put into the queue. */
  readonly submitted: readonly string[];
  /** Puts a run into the queue; its id. */
  submit(statementTimeoutSeconds?: number): Promise<string>;
  stateOf(runId: string): Promise<string | undefined>;
}

/** The engine of a test: what it does before it has written a result. */
export type Engine = (sql: string, signal: AbortSignal) => Promise<void> | void;

export interface DependencyOptions {
  /** Of the store, which is in memory otherwise. */
  readonly path?: string;
  readonly clock?: TestClock;
  /** Of each result. @default 0 */
  readonly rowCount?: number;
}

export function createDependencies(
  engine: Engine,
  change: Partial<ExecutionDependencies["results"]> = {},
  { path = ":memory:", clock = createTestClock(), rowCount = 0 }: DependencyOptions = {},
): TestDependencies {
  const files: string[] = [];
  const told: string[] = [];
  const submitted: string[] = [];
  const canceled: string[] = [];
  const store = openSqliteStore(path, { clock, soleWorker: true });
  const written = { path: "written", columns: [], rowCount, release: async () => void files.push("release") };
  const kind: SourceKind = {
    ...idleKind,
    async begin({ sql }, signal) {
      await engine(sql, signal);
      return writtenExecution(written);
    },
    cancel: async (_, engineQueryId) => void canceled.push(engineQueryId),
  };
  return {
    store,
    clock,
    files,
    told,
    submitted,
    canceled,
    changes: createRunChanges(store),
    sources: createSourceCatalog(() => [{ name: "source", provider: "test" }], new Map([["duckdb", kind]])),
    writer: { write: () => Promise.reject(new Error("not here")), close: async () => {} },
    caps: { maxResultBytes: 1_000, maxResultRows: 1_000 },
    results: {
      open: async () => undefined,
      async commit() {
        files.push("commit");
        return { columns: [], rowCount: 0, totalBytes: 0 };
      },
      remove: async () => void files.push("remove"),
      sweep: async () => {},
      ...change,
    },
    log: { error: (message) => void told.push(message) },
    async submit(statementTimeoutSeconds = 60) {
      clock.advance(1);
      const { run } = accepted(await store.runs.submit(submission({ statementTimeoutSeconds })));
      submitted.push(run.id);
      return run.id;
    },
    stateOf: async (runId) => (await store.runs.run(runId))?.state,
  };
}

/** Ends when the signal does, with its reason, as an engine that is interrupted. */
export function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
