import type { ResultStore } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { countFailures } from "../../src/results/counted-results.ts";

const run = createRun(submission().run, 0);
const written = { path: "written", columns: [], rowCount: 1, release: async () => {} };
const ownerOf = async () => undefined;

function storeOf(answer: () => Promise<unknown>) {
  const calls: unknown[][] = [];
  const call = (name: string) =>
    vi.fn((...params: unknown[]) => {
      calls.push([name, ...params]);
      return answer();
    });
  const names = ["open", "commit", "remove", "sweep", "check", "close", "sweepCache", "downloadUrl"];
  const store = Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as ResultStore;
  return { store, calls };
}

it("passes each call and its answer on", async () => {
  const { store, calls } = storeOf(async () => "answer");
  const failed = vi.fn();
  const counted = countFailures(store, failed);
  const rows = { start: 0, end: 5 } as unknown as Parameters<ResultStore["open"]>[1];
  const link = { format: "parquet", contentDisposition: "attachment", expiresInSeconds: 1 };
  const answers = [
    await counted.open(run, rows),
    await counted.commit(run, written),
    await counted.remove(run),
    await counted.sweep(ownerOf),
    await counted.check(),
    await counted.close(),
    await counted.sweepCache?.(ownerOf),
    await counted.downloadUrl?.(run, link),
  ];
  expect(answers).toEqual(Array(8).fill("answer"));
  expect(calls).toEqual([
    ["open", run, rows],
    ["commit", run, written],
    ["remove", run],
    ["sweep", ownerOf],
    ["check"],
    ["close"],
    ["sweepCache", ownerOf],
    ["downloadUrl", run, link],
  ]);
  expect(failed).not.toHaveBeenCalled();
});

it("counts each failed call that a run needs, and passes its error on", async () => {
  const error = new Error("the bucket is away");
  const failed: string[] = [];
  const counted = countFailures(storeOf(() => Promise.reject(error)).store, (call) => void failed.push(call));
  await expect(counted.open(run)).rejects.toBe(error);
  await expect(counted.commit(run, written)).rejects.toBe(error);
  await expect(counted.remove(run)).rejects.toBe(error);
  await expect(counted.check()).rejects.toBe(error);
  expect(failed).toEqual(["open", "commit", "remove"]);
});
