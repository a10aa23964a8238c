import type { SourceKind, Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import type { TenantLimits } from "../../src/identity/tenant-limits.ts";
import { createStorageQuota } from "../../src/results/storage-quota.ts";
import { createRunChanges, type RunChanges } from "../../src/runs/run-changes.ts";
import { createRunProgress } from "../../src/runs/run-progress.ts";
import type { ExecutionDependencies } from "../../src/scheduler/execution.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, idleKind, type TestClock, writtenExecution } from "../fixture.ts";

/** Dependencies of an execution, with an engine of the test and results without files. */
export interface TestDependencies extends ExecutionDependencies {
  readonly store: Store;
  readonly changes: RunChanges;
  readonly clock: TestClock;
  readonly leaseMs: number;
  /** Calls on results, in order: `commit`, `remove`, `release`. */
  readonly files: readonly string[];
  /** Logged messages. */
  readonly logged: readonly string[];
  /** Queries that were canceled on their engine by their ids. */
  readonly canceled: readonly string[];
  /** Ids of the submitted runs. */
  readonly submitted: readonly string[];
  /** Submits a run, and returns its id. */
  submit(statementTimeoutSeconds?: number): Promise<string>;
  stateOf(runId: string): Promise<string | undefined>;
}

/** Engine of a test. It returns when its result is written. */
export type Engine = (sql: string, signal: AbortSignal) => Promise<void> | void;

export interface DependencyOptions {
  /** Path of the store. @default in memory */
  readonly path?: string;
  readonly clock?: TestClock;
  /** Rows of each result. @default 0 */
  readonly rowCount?: number;
  /** Quota of stored results. @default none */
  readonly maxStoredBytes?: number;
}

export function createDependencies(
  engine: Engine,
  change: Partial<ExecutionDependencies["results"]> = {},
  { path = ":memory:", clock = createTestClock(), rowCount = 0, maxStoredBytes }: DependencyOptions = {},
): TestDependencies {
  const files: string[] = [];
  const logged: string[] = [];
  const submitted: string[] = [];
  const canceled: string[] = [];
  const store = openSqliteStore(path, { clock, soleWorker: true });
  const written = { path: "written", columns: [], rowCount, release: async () => void files.push("release") };
  const limits = { maxUnfinishedRuns: undefined, maxRunningRuns: undefined, maxStoredBytes };
  const rates = { requestsPerSecond: undefined, requestBurst: undefined, monthlyExecSeconds: undefined };
  const limitsOf = async (): Promise<TenantLimits> => ({ ...limits, ...rates });
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
    leaseMs: 30_000,
    files,
    logged,
    submitted,
    canceled,
    changes: createRunChanges(store),
    progress: createRunProgress(),
    uploads: { open: async () => ({ tables: undefined, release: async () => {} }) },
    sources: createSourceCatalog(() => [{ name: "source", provider: "test" }], new Map([["duckdb", kind]])),
    writer: { write: () => Promise.reject(new Error("not here")), close: async () => {} },
    spentBudget: async () => undefined,
    caps: { maxResultBytes: 1_000, maxResultRows: 1_000 },
    quota: createStorageQuota(store.tenants, limitsOf),
    results: {
      open: async () => undefined,
      async commit() {
        files.push("commit");
        return { columns: [], rowCount: 0, totalBytes: 0 };
      },
      async remove() {
        await new Promise((resolve) => setImmediate(resolve)); // as a file system
        files.push("remove");
      },
      sweep: async () => {},
      check: async () => {},
      close: async () => {},
      ...change,
    },
    log: { error: (message) => void logged.push(message) },
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
