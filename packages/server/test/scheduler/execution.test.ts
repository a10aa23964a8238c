import { EngineLostError, StatementError, UnavailableError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import type { RunRecord } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { createRunChanges } from "../../src/runs/run-changes.ts";
import { executeRun, type StopReason } from "../../src/scheduler/execution.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { idleKind } from "../fixture.ts";
import { createDependencies, type Engine, interrupted, type TestDependencies } from "./dependencies.ts";

const failure = { name: "BinderError", message: "no such column", data: { category: "USER" as const } };

/** Executes one run to its end. */
async function execute(
  deps: TestDependencies,
  stop = new AbortController().signal,
  seconds?: number,
): Promise<RunRecord> {
  const id = await deps.submit(seconds);
  const claimed = await deps.store.runs.claim({ owner: "test", ms: 30_000 });
  if (claimed === undefined) throw new Error("there is no run");
  await executeRun(claimed, deps, stop, () => {});
  const run = await deps.store.runs.run(id);
  if (run === undefined) throw new Error("the run is gone");
  return run;
}

it("keeps the result of a success", async () => {
  const deps = createDependencies(() => {});
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_SUCCESS", result: { rowCount: 0 } });
  expect(deps.files).toEqual(["commit", "release"]);
});

it.each<[string, Engine]>([
  ["a success", () => {}],
  ["a failure", () => Promise.reject(new StatementError(failure))],
])("ends its time limit with %s", async (_, engine) => {
  const [timers, cleared] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
  await execute(createDependencies(engine), undefined, 77);
  const limit = timers.mock.results[timers.mock.calls.findIndex(([, ms]) => ms === 77_000)]?.value;
  expect(limit).toBeDefined();
  expect(cleared).toHaveBeenCalledWith(limit);
  vi.restoreAllMocks();
});

it("removes the result of a run that was canceled meanwhile, and makes no further change", async () => {
  const cancel = async () => void (await deps.changes.apply(deps.submitted[0] ?? "", { type: "canceled" }));
  const deps: TestDependencies = createDependencies(cancel, {}, { maxStoredBytes: 1_000 });
  const apply = vi.spyOn(deps.changes, "apply");
  expect((await execute(deps)).state).toBe("QUERY_STATE_CANCELED");
  expect(deps.files).toEqual(["commit", "release", "remove"]);
  expect(apply.mock.calls.map(([, { type }]) => type)).toEqual(["canceled"]);
});

it.each<[string, Engine, object, readonly string[]]>([
  ["the engine's failure", () => Promise.reject(new StatementError(failure)), { failure }, []],
  [
    "a failure of the service, which the operator hears of",
    () => Promise.reject(new Error("secret")),
    {
      failure: {
        name: "InternalError",
        message: "Internal error: the service could not run the query. Retry it; the log of the service has the cause.",
        data: { category: "INTERNAL", retryable: true },
      },
    },
    ["run failed"],
  ],
])("fails with %s", async (_, engine, expected, logged) => {
  const deps = createDependencies(engine);
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_FAILED", ...expected });
  expect(deps.logged.map((message) => message.replace(/ run_\d+/, ""))).toEqual(logged);
});

/** Size of the statement of a run, which counts in the quota. */
const statementBytes = Buffer.byteLength(JSON.stringify(submission().statement));
const overQuota = {
  name: "StorageQuotaExceeded",
  message: expect.stringContaining(`(${30 + 2 * statementBytes} bytes)`),
  data: { category: "RESOURCE", retryable: true },
};
const sized = (totalBytes: number) => ({ commit: async () => ({ columns: [], rowCount: 0, totalBytes }) });

it("fails when a result does not fit into what its tenant may still store", async () => {
  const deps = createDependencies(() => {}, sized(20), { maxStoredBytes: 30 + 2 * statementBytes });
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_FAILED", failure: overQuota });
  expect(deps.files).toEqual(["release", "remove", "release"]);
  expect(await deps.store.tenants.storedBytes("tenant")).toBe(20 + 2 * statementBytes);
});

it("runs nothing for a tenant that may store nothing more", async () => {
  const ran: string[] = [];
  const deps = createDependencies((sql) => void ran.push(sql), sized(30), { maxStoredBytes: 30 + 2 * statementBytes });
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_FAILED", failure: overQuota });
  expect(ran).toHaveLength(1);
});

it("does not store two results at the same time of which only one fits", async () => {
  const deps = createDependencies(() => {}, sized(20), { maxStoredBytes: 30 + 2 * statementBytes });
  const runs = await Promise.all([execute(deps), execute(deps)]);
  expect(runs.filter(({ state }) => state === "QUERY_STATE_SUCCESS").length).toBeLessThan(2);
  expect(await deps.store.tenants.storedBytes("tenant")).toBeLessThanOrEqual(20 + 2 * statementBytes);
});

it("fails with a message about the disk when there is no space for a result", async () => {
  const full = Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" });
  const deps = createDependencies(() => Promise.reject(full));
  const failure = { name: "StorageFull", data: { category: "RESOURCE", retryable: true } };
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_FAILED", failure });
});

it("fails when a result cannot be kept, and lets go of its file", async () => {
  const deps = createDependencies(() => {}, { commit: () => Promise.reject(new Error("the disk is full")) });
  expect(await execute(deps)).toMatchObject({ failure: { name: "InternalError" } });
  expect(deps.files).toEqual(["release"]);
});

it.each([
  ["rows", { commit: async () => ({ columns: [], rowCount: 1_001, totalBytes: 1 }) }, 1_001, ["release"]],
  ["bytes", { commit: async () => ({ columns: [], rowCount: 0, totalBytes: 1_001 }) }, 0, ["remove", "release"]],
] as const)(
  "does not keep a file of more %s than the limit, whatever the adapter says",
  async (_, store, rows, files) => {
    const deps = createDependencies(() => {}, store, { rowCount: rows });
    expect(await execute(deps)).toMatchObject({ failure: { name: "ResultTooLarge", data: { category: "RESOURCE" } } });
    expect(deps.files).toEqual(files);
  },
);

it("fails when the source has been taken away", async () => {
  const sources = createSourceCatalog(() => [{ name: "other", provider: "test" }], new Map([["duckdb", idleKind]]));
  const deps = { ...createDependencies(() => {}), sources };
  expect(await execute(deps)).toMatchObject({
    failure: { name: "DataSourceNotFound", data: { category: "DATA_SOURCE", retryable: false } },
  });
});

it("executes on a source that this server learns of late, and waits while the data of a source cannot be reached", async () => {
  let isKnown = false;
  let holds = 0;
  const away = new UnavailableError("the bucket is away");
  const hold = async () => {
    holds += 1;
    if (holds === 1) throw away;
    return { revision: "1", release: async () => {} };
  };
  const kind = { ...idleKind, hold, begin: async () => Promise.reject(new StatementError(failure)) };
  const refresh = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    isKnown = true;
  };
  const configured = () => [{ name: isKnown ? "source" : "other", provider: "test" }];
  const sources = createSourceCatalog(configured, new Map([["duckdb", kind]]), refresh);
  expect(await execute({ ...createDependencies(() => {}), sources })).toMatchObject({ failure });
  expect(holds).toBe(2);
});

it("ends at its time limit", async () => {
  const deps = createDependencies((_, signal) => interrupted(signal));
  expect(await execute(deps, undefined, 0.005)).toMatchObject({
    failure: {
      name: "QueryRunTimedOut",
      message: "The query did not end within 0.005 seconds, the limit of the service; query less data.",
      data: { category: "RESOURCE", retryable: true },
    },
  });
});

it("runs with a time limit that is longer than any timer", async () => {
  expect(
    (
      await execute(
        createDependencies(() => {}),
        undefined,
        5_000_000,
      )
    ).state,
  ).toBe("QUERY_STATE_SUCCESS");
});

it("goes back to the queue when its process is lost", async () => {
  const deps = createDependencies(() => Promise.reject(new EngineLostError("killed")));
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_READY", lostWorkers: 1, failure: null });
});

it.each<[StopReason, string]>([
  ["closing", "QUERY_STATE_READY"],
  ["canceled", "QUERY_STATE_RUNNING"],
])("stopped because it is %s, it leaves the run %s", async (reason, state) => {
  const stop = new AbortController();
  const deps = createDependencies((_, signal) => {
    stop.abort(reason);
    return interrupted(signal);
  });
  // Who cancels a run says so to the store before the execution is stopped.
  expect(await execute(deps, stop.signal)).toMatchObject({ state, lostWorkers: 0 });
});

it("keeps the result of a run whose commit the store did not answer", async () => {
  const deps = createDependencies(() => {});
  let commits = 0;
  const ended: string[] = [];
  const apply: typeof deps.store.runs.apply = async (runId, event) => {
    const change = await deps.store.runs.apply(runId, event);
    if (event.type !== "committed") return change;
    commits += 1;
    if (commits === 1) throw new UnavailableError("The database cannot be reached.");
    return change;
  };
  const store = { ...deps.store, runs: { ...deps.store.runs, apply } };
  const changes = createRunChanges(store, ({ id }) => void ended.push(id));
  const run = await execute({ ...deps, changes });
  expect(run).toMatchObject({ state: "QUERY_STATE_SUCCESS", attempt: 1 });
  expect([commits, deps.files]).toEqual([2, ["commit", "release"]]);
  // It counts once in the usage and the metrics.
  expect(ended).toEqual([run.id]);
});

it("stores the result of a run again once the result store can be reached, until its time is over", async () => {
  let commits = 0;
  const commit = async () => {
    commits += 1;
    if (commits < 3) throw new UnavailableError("The bucket cannot be reached.");
    return { columns: [], rowCount: 0, totalBytes: 0 };
  };
  const deps = createDependencies(() => {}, { commit });
  expect(await execute(deps)).toMatchObject({ state: "QUERY_STATE_SUCCESS", attempt: 1 });
  expect(commits).toBe(3);

  const away = () => Promise.reject(new UnavailableError("The bucket cannot be reached."));
  const over = createDependencies(() => {}, { commit: away });
  // Another attempt could not store it either.
  expect(await execute(over, undefined, 1)).toMatchObject({
    state: "QUERY_STATE_FAILED",
    failure: {
      name: "QueryRunTimedOut",
      message:
        "The service could not reach its storage until the time limit of the query ended, 1 seconds; run the query again.",
      data: { category: "RESOURCE", retryable: true },
    },
  });
});
