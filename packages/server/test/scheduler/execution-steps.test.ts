import {
  EngineLostError,
  type Execution,
  ResultExistsError,
  type Statement,
  StatementError,
  UnavailableError,
} from "@quern/adapter";
import type { RunEvent } from "@quern/query-run/transition";
import { expect, it, vi } from "vitest";
import { executeRun, type StopReason } from "../../src/scheduler/execution.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { idleKind, writtenExecution } from "../fixture.ts";
import { createDependencies, type DependencyOptions, type TestDependencies } from "./dependencies.ts";

interface Steps {
  readonly hold?: () => void;
  readonly execution?: Partial<Execution>;
  readonly results?: Partial<TestDependencies["results"]>;
  readonly options?: DependencyOptions;
  /** Called before each event that the execution applies to its run. */
  readonly apply?: (event: RunEvent) => Promise<void> | void;
  readonly deps?: Partial<TestDependencies>;
  readonly stop?: AbortSignal;
}

/** Executes one run. Returns the order of the steps, and the run at its end. */
async function execute({ hold, execution, results, options, apply, deps: changed, stop }: Steps = {}) {
  const order: string[] = [];
  const base = createDependencies(() => {}, results, options);
  const refresh = vi.fn(async () => {});
  const kind = {
    ...idleKind,
    async hold() {
      hold?.();
      const release = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push("data released");
      };
      return { revision: "1", release };
    },
    async begin(_: Statement): Promise<Execution> {
      order.push("begun");
      const release = async () => void order.push("execution released");
      return { ...writtenExecution({ path: "written", columns: [], rowCount: 0, release }), ...execution };
    },
  };
  const sources = createSourceCatalog(
    () => [{ name: "source", provider: "test" }],
    new Map([["duckdb", kind]]),
    refresh,
  );
  const real = base.changes.apply;
  const events: RunEvent[] = [];
  const note = async (id: string, event: RunEvent) => {
    events.push(event);
    await apply?.(event);
    return real(id, event);
  };
  const changes = {
    ...base.changes,
    apply: note,
    commit: async (...commit: Parameters<typeof base.changes.commit>) => {
      order.push("committed");
      events.push(commit[1]);
      return base.changes.commit(...commit);
    },
  };
  const deps: TestDependencies = { ...base, sources, changes, ...changed };
  const id = await deps.submit();
  const claimed = await deps.store.runs.claim({ owner: "test", ms: 30_000 });
  if (claimed === undefined) throw new Error("there is no run");
  await executeRun(claimed, deps, stop ?? new AbortController().signal, () => order.push("slot free"));
  const run = await deps.store.runs.run(id);
  return { order, run, deps, refresh, events };
}

/** Lets the promises in progress and the changes of a store in memory end. */
async function flushPromises(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

it("releases the execution before the end of the run is stored, once, and reads no sources again that it knows", async () => {
  const { order, refresh } = await execute();
  expect(order).toEqual(["begun", "data released", "execution released", "committed"]);
  expect(refresh).not.toHaveBeenCalled();
});

it("begins no statement if the run was stopped while its data was prepared", async () => {
  const stop = new AbortController();
  const { order, run } = await execute({ hold: () => stop.abort("closing" satisfies StopReason), stop: stop.signal });
  expect([order, run?.state]).toEqual([["data released"], "QUERY_STATE_READY"]);
});

it("waits for the release of the execution", async () => {
  const ended = vi.fn();
  let pass = (): void => {};
  const release = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        pass = resolve;
      }),
  );
  const executed = execute({ execution: { release } }).then(ended);
  await vi.waitUntil(() => release.mock.calls.length === 1);
  await flushPromises();
  expect(ended).not.toHaveBeenCalled();
  pass();
  await executed;
});

it("removes the result if the store refuses to note that the statement was executed", async () => {
  const refused = Promise.withResolvers<void>();
  const file = async () => {
    await refused.promise;
    return { path: "written", rowCount: 0 };
  };
  const { order, run, deps } = await execute({
    execution: { result: async () => ({ form: "parquet", columns: [], file }) },
    apply: ({ type }) => {
      if (type !== "executed") return;
      refused.resolve();
      throw new Error("the disk is away");
    },
  });
  expect([run?.failure?.name, deps.files]).toEqual(["InternalError", ["commit", "remove"]]);
  expect(order).not.toContain("committed");
});

it("removes the result if the quota of the tenant cannot be read", async () => {
  const quota = {
    capsOf: async () => ({ maxResultBytes: 1_000, maxResultRows: 1_000, explain: (cause: unknown) => cause }),
    maxStoredBytes: () => Promise.reject(new Error("the disk is away")),
  };
  const { run, deps } = await execute({ deps: { quota } });
  expect([run?.failure?.name, deps.files]).toEqual(["InternalError", ["commit", "remove"]]);
});

it.each([
  [new EngineLostError("killed"), { lostWorkers: 1 }],
  [new ResultExistsError("another attempt has stored its result"), { lostWorkers: 1 }],
  [new UnavailableError("the engine cannot be reached"), { lostWorkers: 0 }],
])("queues the run again after the error %s", async (error, expected) => {
  const { run, deps } = await execute({ execution: { result: () => Promise.reject(error) } });
  expect(run).toMatchObject({ state: "QUERY_STATE_READY", ...expected });
  expect(deps.logged).toEqual([]);
});

it("fails with the reason of the last lost worker", async () => {
  const deps = createDependencies(() => Promise.reject(new EngineLostError("killed by the test")));
  const id = await deps.submit();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const claimed = await deps.store.runs.claim({ owner: "test", ms: 30_000 });
    if (claimed !== undefined) await executeRun(claimed, deps, new AbortController().signal, () => {});
  }
  const run = await deps.store.runs.run(id);
  expect([run?.state, run?.failure?.message]).toEqual([
    "QUERY_STATE_FAILED",
    expect.stringContaining("killed by the test"),
  ]);
});

it("writes the rows of an engine that has no file, within the caps and for the tenant", async () => {
  const rows = { form: "rows", columns: [], batches: [] } as unknown as Awaited<ReturnType<Execution["result"]>>;
  const writes: unknown[][] = [];
  const columns = [{ name: "Big", kind: "number" as const, engineType: "INTEGER" }];
  const release = vi.fn(async () => {});
  const writer = {
    async write(...call: unknown[]) {
      writes.push(call);
      return { path: "written", columns, rowCount: 2, release };
    },
    close: async () => {},
  };
  const { run } = await execute({ execution: { result: async () => rows }, deps: { writer } });
  expect(run?.state).toBe("QUERY_STATE_SUCCESS");
  expect(writes).toEqual([[rows, { maxResultBytes: 1_000, maxResultRows: 1_000 }, expect.any(AbortSignal), "tenant"]]);
  expect(release).toHaveBeenCalledTimes(1);
});

it("keeps small values with the run, and stores no file of them", async () => {
  const rows = { form: "rows", columns: [], batches: [] } as unknown as Awaited<ReturnType<Execution["result"]>>;
  const columns = [{ name: "n", kind: "number" as const, engineType: "INTEGER" }];
  const cells = [["1"], ["null"]];
  const release = vi.fn(async () => {});
  const write = async () => ({ path: "written", columns, rowCount: 2, cells, release });
  const writer = { write, close: async () => {} };
  for (const result of [rows, { form: "cells" as const, columns, cells }]) {
    const caps = { maxResultBytes: 1_000, maxResultRows: 1_000, maxSmallResultBytes: 11 };
    const { run, order } = await execute({ execution: { result: async () => result }, deps: { writer, caps } });
    expect(run?.result).toEqual({ columns, rowCount: 2, totalBytes: 11, cells });
    const steps = order.filter((step) => ["slot free", "committed", "result stored"].includes(step));
    expect(steps).toEqual(["slot free", "committed"]);
  }
  expect(release).toHaveBeenCalledTimes(1);
});

it("fails with the quota if another result has taken its space meanwhile, and stores nothing", async () => {
  const quota = {
    capsOf: async () => ({ maxResultBytes: 1_000, maxResultRows: 1_000, explain: (cause: unknown) => cause }),
    maxStoredBytes: async () => 10,
  };
  const results = { commit: async () => ({ columns: [], rowCount: 0, totalBytes: 11 }) };
  const { run, deps } = await execute({ deps: { quota }, results });
  const failure = { name: "StorageQuotaExceeded", message: expect.stringContaining("(10 bytes)") };
  expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", failure });
  expect([deps.files, deps.logged]).toEqual([["remove"], []]);
});

it("waits until the file of a written result is released before it stores the end of the run", async () => {
  const rows = { form: "rows", columns: [], batches: [] } as unknown as Awaited<ReturnType<Execution["result"]>>;
  const steps: string[] = [];
  const release = async (): Promise<void> => {
    await flushPromises();
    steps.push("file released");
  };
  const writer = { write: async () => ({ path: "written", columns: [], rowCount: 0, release }), close: async () => {} };
  const executionReleased = async () => void steps.push("execution released");
  await execute({ execution: { result: async () => rows, release: executionReleased }, deps: { writer } });
  expect(steps).toEqual(["file released", "execution released"]);
});

const failing = (error: Error): Steps => ({ execution: { result: () => Promise.reject(error) } });
const closing = (): Steps => {
  const stop = new AbortController();
  return { hold: () => stop.abort("closing" satisfies StopReason), stop: stop.signal };
};

// A server that has lost the run must change nothing of a later attempt.
it.each<[string, Steps, readonly object[]]>([
  [
    "a success",
    { execution: { engineQueryId: "query_7" } },
    [
      { type: "begun", attempt: 1, engineQueryId: "query_7" },
      {
        type: "committed",
        attempt: 1,
        storingMs: expect.any(Number),
        result: { columns: [], rowCount: 0, totalBytes: 0 },
      },
    ],
  ],
  ["a failure", failing(new Error("broken")), [{ type: "failed", attempt: 1, failure: expect.any(Object) }]],
  [
    "a full disk",
    failing(Object.assign(new Error("full"), { code: "ENOSPC" })),
    [expect.objectContaining({ attempt: 1 })],
  ],
  [
    "a failure of the engine",
    failing(new StatementError({ name: "BinderError", message: "no", data: { category: "USER" } })),
    [expect.objectContaining({ type: "failed", attempt: 1 })],
  ],
  ["a lost engine", failing(new EngineLostError("killed")), [{ type: "workerLost", attempt: 1, reason: "killed" }]],
  ["an outage", failing(new UnavailableError("away")), [{ type: "released", attempt: 1 }]],
  ["a server that closes", closing(), [{ type: "released", attempt: 1 }]],
])("names its attempt in each event of %s", async (_, steps, expected) => {
  expect((await execute(steps)).events).toEqual(expected);
});
