import type { RunRecord } from "@quern/query-run/record";
import { recordRetentionMs } from "@quern/query-run/retention";
import type { Transition } from "@quern/query-run/transition";
import { expect, it, onTestFinished, vi } from "vitest";
import { createReaper, type ReaperOptions } from "../../src/scheduler/expired-results.ts";
import { createDependencies } from "./dependencies.ts";

const runOf = (members: Partial<RunRecord>) => members as RunRecord;

/** Reaper whose store lists the given runs as expired once. */
function createBench(expired: readonly RunRecord[] = [], options: Partial<ReaperOptions> = {}) {
  const deps = createDependencies(() => {});
  vi.spyOn(deps.store.runs, "expired").mockResolvedValue([]).mockResolvedValueOnce(expired);
  const purge = vi.spyOn(deps.store.runs, "purge").mockResolvedValue(0);
  const apply = vi.spyOn(deps.changes, "apply").mockResolvedValue({ accepted: true } as Transition);
  const reaper = createReaper({ ...deps, reader: { sweep: async () => {} }, intervalMs: 60_000, ...options });
  onTestFinished(() => reaper.close());
  return { deps, reaper, purge, apply };
}

it("removes at most eight results at the same time", async () => {
  const passes: (() => void)[] = [];
  const { reaper, apply, deps } = createBench(Array.from({ length: 9 }, (_, n) => runOf({ id: `${n}` })));
  apply.mockImplementation(async () => {
    await new Promise<void>((resolve) => passes.push(resolve));
    return { accepted: true } as Transition;
  });
  const reaped = reaper.reap();
  await vi.waitUntil(() => passes.length === 8);
  await new Promise((resolve) => setImmediate(resolve));
  expect(passes).toHaveLength(8);
  passes[0]?.();
  await vi.waitUntil(() => passes.length === 9);
  for (const pass of passes) pass();
  await reaped;
  expect(deps.files).toEqual(Array(9).fill("remove"));
});

it("removes the other results before it reports one that cannot be removed, and nothing that still has its record", async () => {
  const { reaper, apply, deps } = createBench(["kept", "failing", "removed"].map((id) => runOf({ id })));
  apply.mockImplementation(async (id) => {
    if (id === "failing") throw new Error("the disk is away");
    return { accepted: id === "removed" } as Transition;
  });
  await expect(reaper.reap()).rejects.toThrow("the disk is away");
  expect(deps.files).toEqual(["remove"]);
});

it("removes one list of expired results at a time", async () => {
  const { reaper, deps } = createBench();
  await Promise.all([reaper.reap(), reaper.reap()]);
  expect(deps.store.runs.expired).toHaveBeenCalledTimes(1);
  await reaper.reap();
  expect(deps.store.runs.expired).toHaveBeenCalledTimes(2);
});

it("removes no further result after close", async () => {
  const { reaper, apply, deps } = createBench(Array.from({ length: 20 }, (_, n) => runOf({ id: `${n}` })));
  let closed: Promise<void> | undefined;
  apply.mockImplementation(async () => {
    closed = reaper.close();
    return { accepted: true } as Transition;
  });
  await reaper.reap();
  await closed;
  expect([apply.mock.calls.length, deps.files.length]).toEqual([1, 1]);
});

it("deletes records whose retention is over, in batches, until a batch is not full", async () => {
  const { reaper, purge } = createBench();
  await reaper.reap();
  expect(purge.mock.calls).toEqual([[recordRetentionMs, 20]]);
});

it("sweeps on each call where servers do not share the results, and again after a failed sweep", async () => {
  const sweepSources = vi.fn(async () => {}).mockRejectedValueOnce(new Error("the disk is away"));
  const { reaper } = createBench([], { sweepSources });
  await expect(reaper.sweep()).rejects.toThrow("the disk is away");
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await reaper.sweep();
  expect(sweepSources).toHaveBeenCalledTimes(3);
});

it.each<[string, Partial<RunRecord> | undefined, boolean]>([
  [
    "of its run",
    { id: "run_1", attempt: 2, archivedAt: null, result: { columns: [], rowCount: 0, totalBytes: 0 } },
    true,
  ],
  [
    "of another attempt",
    { id: "run_1", attempt: 3, archivedAt: null, result: { columns: [], rowCount: 0, totalBytes: 0 } },
    false,
  ],
  [
    "of an archived run",
    { id: "run_1", attempt: 2, archivedAt: 1, result: { columns: [], rowCount: 0, totalBytes: 0 } },
    false,
  ],
  ["of a run without a result", { id: "run_1", attempt: 2, archivedAt: null, result: null }, false],
  ["of an unknown run", undefined, false],
])("lets the reader of results keep a copy %s", async (_, run, isKept) => {
  let kept: boolean | undefined;
  const sweep: ReaperOptions["reader"]["sweep"] = async (isOwned) => {
    kept = await isOwned("run_1.2");
  };
  const { reaper, deps } = createBench([], { reader: { sweep } });
  const read = vi.spyOn(deps.store.runs, "run").mockResolvedValue(run && runOf(run));
  await reaper.sweep();
  expect([kept, read.mock.calls]).toEqual([isKept, [["run_1"]]]);
});
