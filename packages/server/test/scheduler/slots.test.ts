import type { Source } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { expect, it, vi } from "vitest";
import { createScheduler } from "../../src/scheduler/scheduler.ts";
import type { SpentBudget } from "../../src/telemetry/usage-meter.ts";
import { createDependencies, interrupted } from "./dependencies.ts";

/** A scheduler with two slots and one slot for each of two remote sources, whose statements end when the test says so. */
function createBench(spentBudget = async (_: unknown, __: number): Promise<SpentBudget | undefined> => undefined) {
  const ends = new Map<string, () => void>();
  const deps = createDependencies((sql, signal) =>
    Promise.race([interrupted(signal), new Promise<void>((resolve) => ends.set(sql, resolve))]),
  );
  const source = (name: string, address?: string): Source => ({
    name,
    provider: "test",
    kind: "duckdb",
    path: null,
    lowerCaseColumns: false,
    ...(address !== undefined && { address }),
  });
  const all = [source("local"), source("lake", "trino://lake"), source("shop", "postgres://shop")];
  const sources = { ...deps.sources, all: () => all, named: (name: string) => all.find((each) => each.name === name) };
  const limits = { maxRunningRuns: 2, maxRunningRunsOfSource: 1 };
  const scheduler = createScheduler({ ...deps, sources, spentBudget, ...limits });
  const submit = async (dataSourceId: string, sql: string) => {
    deps.clock.advance(1);
    const statement = { id: `st_${sql}`, sql, statementHash: sql };
    const submitted = deps.store.runs.submit(submission({ dataSourceId }, { statement }));
    scheduler.submitting();
    return accepted(await submitted).run.id;
  };
  return { deps, scheduler, submit, ends };
}

it("starts runs of each remote source, and of this server, in slots of their own, and tells why the others wait", async () => {
  const { scheduler, submit, ends } = createBench();
  await scheduler.start();
  for (const sql of ["lake 1", "lake 2", "lake 3"]) await submit("lake", sql);
  for (const sql of ["local 1", "local 2", "local 3"]) await submit("local", sql);
  await submit("shop", "shop 1");
  await vi.waitUntil(() => ends.size === 4);
  expect([...ends.keys()].sort()).toEqual(["lake 1", "local 1", "local 2", "shop 1"]);
  const { ofSources, ofOthers } = scheduler.waitReasons();
  expect(ofSources?.get("lake")).toBe(
    "The data source lake executes 1 run, its limit; the run starts when one of them ends.",
  );
  expect(ofOthers).toBe("The service executes 2 runs, its limit; the run starts when one of them ends.");
  ends.get("lake 1")?.();
  await vi.waitUntil(() => ends.has("lake 2"));
  ends.get("local 2")?.();
  ends.get("shop 1")?.();
  await vi.waitUntil(() => ends.has("local 3"));
  await vi.waitUntil(() => scheduler.waitReasons().ofSources?.get("shop") === undefined);
  expect(scheduler.waitReasons().ofSources?.has("shop")).toBe(true);
  expect(ends.has("lake 3")).toBe(false);
  await scheduler.close();
});

it("ends the runs of a user whose budget they use up, and starts none without a budget", async () => {
  const spent = { budget: 1, used: 1, resetsAt: "2026-12-01T00:00:00.000Z" };
  let isSpent = false;
  const { deps, scheduler, submit, ends } = createBench(async (_, executingMs) =>
    isSpent || executingMs > 1 ? spent : undefined,
  );
  await scheduler.start();
  const running = await submit("local", "running");
  await vi.waitUntil(() => ends.has("running"));
  const failed = { state: "QUERY_STATE_FAILED", failure: { name: "BudgetExceeded" } };
  await vi.waitFor(async () => expect(await deps.store.runs.run(running)).toMatchObject(failed), { timeout: 10_000 });
  isSpent = true;
  const queued = await submit("local", "queued");
  await vi.waitFor(async () => expect(await deps.store.runs.run(queued)).toMatchObject(failed), { timeout: 10_000 });
  expect(ends.has("queued")).toBe(false);
  await scheduler.close();
});
