import { describe, expect, it } from "vitest";
import type { Call, CallOptions } from "../../src/wire/call.ts";
import { createQueue, groupsOf } from "../../src/wire/queue.ts";

let id = 0;
function callOf(characters = 100, options: CallOptions = {}, done = false): Call {
  id += 1;
  const descriptor = { name: "getQueryRun", errors: {} };
  return { id, descriptor, text: "x".repeat(characters), options, done, sent: false, finish() {} };
}
const calls = (count: number, characters?: number, options?: CallOptions) =>
  Array.from({ length: count }, () => callOf(characters, options));
const sizesOf = (all: readonly Call[]) => groupsOf(all).map(({ length }) => length);

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

  it("keeps calls that wait apart from the others, and both from those that travel alone", () => {
    const [quick, waiting, alone, later] = [{}, { waits: true }, { alone: true }, {}].map((options) =>
      callOf(100, options),
    ) as [Call, Call, Call, Call]; // As many as options.
    expect(groupsOf([quick, waiting, alone, later])).toEqual([[quick, later], [alone], [waiting]]);
  });
});

it("hands the calls of one microtask over together, without those that are done", async () => {
  const flushed: (readonly Call[])[] = [];
  const queue = createQueue((some) => flushed.push(some));
  const [first, left, second, next] = [callOf(), callOf(100, {}, true), callOf(), callOf()] as const;
  for (const call of [first, left, second]) queue(call);
  expect(flushed).toEqual([]);
  await Promise.resolve();
  queue(next);
  await Promise.resolve();
  expect(flushed).toEqual([[first, second], [next]]);
});
