import { describe, expect, it } from "vitest";
import { batchesOf, createBatchQueue } from "../../src/wire/batch-queue.ts";
import type { Call, CallOptions } from "../../src/wire/call.ts";

let id = 0;
function callOf(characters = 100, options: CallOptions = {}, done = false, name = "getQueryRun"): Call {
  id += 1;
  const descriptor = { name, errors: {} };
  return { id, descriptor, text: "x".repeat(characters), options, done, sent: false, finish() {} };
}
const calls = (count: number, characters?: number, options?: CallOptions) =>
  Array.from({ length: count }, () => callOf(characters, options));
const sizesOf = (all: readonly Call[]) => batchesOf(all).map(({ length }) => length);

describe("a batch", () => {
  it("has 50 small calls", () => {
    expect(sizesOf(calls(50))).toEqual([50]);
    expect(sizesOf(calls(51))).toEqual([50, 1]);
    expect(sizesOf(calls(101))).toEqual([50, 50, 1]);
  });

  it("has 256 kB of requests", () => {
    const quarter = (256 * 1024) / 4;
    expect(sizesOf(calls(5, quarter))).toEqual([4, 1]);
    expect(sizesOf(calls(4, quarter + 1))).toEqual([3, 1]);
    expect(sizesOf(calls(2, 300_000))).toEqual([1, 1]);
  });

  it("has 1 MB of answers", () => {
    const quarter = (1024 * 1024) / 4;
    expect(sizesOf(calls(5, 100, { replyBytes: quarter }))).toEqual([4, 1]);
    expect(sizesOf(calls(4, 100, { replyBytes: quarter + 1 }))).toEqual([3, 1]);
  });

  it.each([Infinity, NaN])("has one call if the size of its answer is %d", (replyBytes) => {
    const [small, unknown, later] = [callOf(), callOf(100, { replyBytes }), callOf()] as const;
    expect(batchesOf([small, unknown, later])).toEqual([[small], [unknown], [later]]);
  });

  it("keeps long polls apart from other calls, and both apart from unbatched calls", () => {
    const [quick, polling, unbatched, later] = [{}, { longPoll: true }, { unbatched: true }, {}].map((options) =>
      callOf(100, options),
    ) as [Call, Call, Call, Call]; // As many as options.
    expect(batchesOf([quick, polling, unbatched, later])).toEqual([[quick, later], [unbatched], [polling]]);
  });
});

it("keeps the long polls of each method apart", () => {
  const of = (name: string) => callOf(100, { longPoll: true }, false, name);
  const [poll, create, other] = [of("getQueryRun"), of("createQueryRun"), of("getQueryRun")] as const;
  expect(batchesOf([poll, create, other])).toEqual([[poll, other], [create]]);
});

it("flushes the calls of one microtask together, without ended calls", async () => {
  const flushed: (readonly Call[])[] = [];
  const queue = createBatchQueue((some) => flushed.push(some));
  const [first, left, second, next] = [callOf(), callOf(100, {}, true), callOf(), callOf()] as const;
  for (const call of [first, left, second]) queue(call);
  expect(flushed).toEqual([]);
  await Promise.resolve();
  queue(next);
  await Promise.resolve();
  expect(flushed).toEqual([[first, second], [next]]);
});
