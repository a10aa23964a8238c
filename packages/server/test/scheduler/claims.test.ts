import { UnavailableError } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createScheduler, type SchedulerOptions } from "../../src/scheduler/scheduler.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { idleKind, writtenExecution } from "../fixture.ts";
import { replacePauses } from "../pauses.ts";
import { createDependencies, interrupted } from "./dependencies.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Scheduler of the only server of its store. Its statements run until they are aborted. */
function createBench(options: Partial<SchedulerOptions> = {}) {
  const stopped: unknown[] = [];
  const deps = createDependencies((_, signal) => {
    signal.addEventListener("abort", () => stopped.push(signal.reason));
    return interrupted(signal);
  });
  const claim = vi.spyOn(deps.store.runs, "claim");
  const scheduler = createScheduler({ ...deps, maxRunningRuns: 2, ...options });
  onTestFinished(() => scheduler.close());
  return { deps, scheduler, stopped, claim };
}

/** Lets the promises in progress and the changes of a store in memory end. */
async function flushPromises(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

it("claims for its owner a lease of the configured time, and reports each claimed run", async () => {
  const claimed: string[] = [];
  const onClaimed = ({ id }: { id: string }) => void claimed.push(id);
  const { deps, scheduler, claim } = createBench({ owner: "server", leaseMs: 9_000, onClaimed });
  const ids = [await deps.submit(), await deps.submit()];
  await scheduler.start();
  await flushPromises();
  expect([claimed, claim.mock.calls]).toEqual([
    ids,
    Array(2).fill([
      { owner: "server", ms: 9_000 },
      { names: [], isIncluded: false },
    ]),
  ]);
});

it("claims for an owner of its own by default", async () => {
  const owners = new Set<string>();
  for (let servers = 0; servers < 2; servers += 1) {
    const { scheduler, claim } = createBench();
    await scheduler.start();
    await flushPromises();
    for (const [{ owner, ms }] of claim.mock.calls) owners.add(`${owner.length} ${ms} ${owner}`);
  }
  expect([...owners].map((owner) => owner.slice(0, 8))).toEqual(["36 30000", "36 30000"]);
});

const smallResult = { form: "cells" as const, columns: [], cells: [] };

it.each([
  ["claims the next run when only the commit of a small result is left", async () => smallResult, 2],
  ["claims no run before the end of one whose result is a file", undefined, 1],
])("%s", async (_, result, claimed) => {
  const { deps, claim } = createBench();
  const execution = writtenExecution({ path: "written", columns: [], rowCount: 0, release: async () => {} });
  const kind = { ...idleKind, begin: async () => ({ ...execution, ...(result && { result }) }) };
  const sources = createSourceCatalog(() => [{ name: "source", provider: "test" }], new Map([["duckdb", kind]]));
  let store = (): void => {};
  const stored = new Promise<undefined>((resolve) => {
    store = () => resolve(undefined);
  });
  const changes = { ...deps.changes, commit: () => stored };
  const scheduler = createScheduler({ ...deps, sources, changes, maxRunningRuns: 1 });
  for (let runs = 0; runs < 2; runs += 1) await deps.submit();
  await scheduler.start();
  for (let times = 0; times < 5; times += 1) await flushPromises();
  const runs = await Promise.all(claim.mock.results.map(({ value }) => value));
  expect(runs.filter((run) => run !== undefined)).toHaveLength(claimed);
  store();
  await scheduler.close();
});

it("claims no run while the disk has no space, and checks again at the next renewal of leases", async () => {
  let hasSpace = false;
  const { deps, scheduler, claim } = createBench({ hasSpace: async () => hasSpace });
  const id = await deps.submit();
  await scheduler.start();
  await flushPromises();
  expect(claim).not.toHaveBeenCalled();
  hasSpace = true;
  vi.advanceTimersByTime(10_000);
  await flushPromises();
  expect(await deps.stateOf(id)).toBe("QUERY_STATE_RUNNING");
});

it.each([
  ["found no run", (): undefined => undefined, []],
  [
    "failed",
    () => {
      throw new Error("the disk is full");
    },
    ["runs could not be claimed"],
  ],
])("claims a run that is queued during a claim that %s", async (_, answer, logged) => {
  const { deps, scheduler, claim } = createBench();
  let pass = (): void => {};
  const gate = new Promise<void>((resolve) => {
    pass = resolve;
  });
  claim.mockImplementationOnce(() => gate.then(answer));
  await scheduler.start();
  const id = await deps.submit();
  await flushPromises();
  expect(claim).toHaveBeenCalledTimes(1);
  pass();
  await flushPromises();
  expect([await deps.stateOf(id), deps.logged]).toEqual(["QUERY_STATE_RUNNING", logged]);
});

it("aborts its attempt of a run that it claims again", async () => {
  const { deps, scheduler, stopped } = createBench();
  const id = await deps.submit();
  await scheduler.start();
  await flushPromises();
  deps.clock.advance(30_000);
  await deps.store.runs.reclaim("its lease expired", [], undefined);
  await flushPromises();
  expect(stopped).toEqual(["lost"]);
  expect(await deps.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 2 });
});

it("reclaims at its start all runs that have no lease, then those that do not execute here", async () => {
  const { deps, scheduler } = createBench();
  const reclaim = vi.spyOn(deps.changes, "reclaim");
  const [kept, lost] = [await deps.submit(), await deps.submit()];
  await scheduler.start();
  await flushPromises();
  vi.spyOn(deps.store.runs, "renew").mockImplementationOnce(async (_, ids) => ids.filter((id) => id !== lost));
  vi.advanceTimersByTime(10_000);
  await flushPromises();
  expect(reclaim.mock.calls).toEqual([
    ["the server stopped", [], undefined],
    ["its lease expired", [kept], undefined],
  ]);
});

it("ends the retries of a renewal before the next one, and on close", async () => {
  const pauses = replacePauses((_, __, options) => interrupted(options?.signal ?? AbortSignal.abort()));
  const { deps, scheduler } = createBench();
  const away = () => Promise.reject(new UnavailableError("The database cannot be reached."));
  const renew = vi.spyOn(deps.store.runs, "renew").mockImplementation(away);
  await scheduler.start();
  const retrying = () => pauses.mock.calls.map(([, , options]) => options?.signal?.aborted);
  const seen = [];
  for (let renewals = 0; renewals < 2; renewals += 1) {
    vi.advanceTimersByTime(10_000);
    await flushPromises();
    seen.push(retrying());
  }
  await scheduler.close();
  expect([...seen, retrying()]).toEqual([[false], [true, false], [true, true]]);
  expect([renew.mock.calls.length, vi.getTimerCount()]).toEqual([2, 0]);
});

/** Starts a server after another one was lost with a run. Returns the calls by which it canceled queries. */
async function afterLoss(engineQueryId: string | undefined, source = "source") {
  const canceled: unknown[][] = [];
  const cancel = async (...call: unknown[]) => {
    canceled.push(call);
    throw new Error("the engine is away");
  };
  const configured = () => [{ name: source, provider: "test" }];
  const sources = createSourceCatalog(configured, new Map([["duckdb", { ...idleKind, cancel }]]));
  const { deps, scheduler } = createBench({ sources, maxRunningRuns: 0 });
  const { run } = accepted(await deps.store.runs.submit(submission()));
  await deps.store.runs.claim({ owner: "a dead server", ms: 0 });
  if (engineQueryId !== undefined) await deps.store.runs.apply(run.id, { type: "begun", attempt: 1, engineQueryId });
  await scheduler.start();
  await flushPromises();
  return { canceled, logged: deps.logged, id: run.id };
}

it("cancels the query of a lost run for the caller of the run, and logs that it cannot", async () => {
  const { canceled, logged, id } = await afterLoss("query_7");
  const caller = { tenantId: "tenant", userId: "user" };
  expect(canceled).toEqual([[expect.objectContaining({ name: "source" }), "query_7", caller]]);
  expect(logged).toEqual([`the engine could not cancel the query of the lost run ${id}, which may still execute`]);
});

it.each([
  ["had not begun", undefined, "source"],
  ["is on a source that is gone", "query_7", "other"],
])("cancels no query of a lost run that %s", async (_, engineQueryId, source) => {
  expect(await afterLoss(engineQueryId, source)).toMatchObject({ canceled: [], logged: [] });
});
