import type { QueryRun } from "@quern/protocol/types";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPollSchedule } from "../../src/run/poll-schedule.ts";
import { pollUntilFinal } from "../../src/run/poller.ts";
import type { CallOptions } from "../../src/wire/call.ts";
import type { Client, DetectingClient, ServerFeatures } from "../../src/wire/client.ts";
import { pause } from "../../src/wire/deadline.ts";

const { signal } = new AbortController();
const run = { id: "a", state: "QUERY_STATE_RUNNING" } as QueryRun;
const microtasks = async () => {
  for (let count = 0; count < 10; count += 1) await Promise.resolve();
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.25);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Schedule whose polls are answered by `answer`, and the polls that it made: their time and whether they are long. */
function scheduled(server: ServerFeatures) {
  const start = performance.now();
  const pauses: number[] = [];
  const sleep: Client["sleep"] = (ms, stop) => {
    pauses.push(ms);
    return pause(ms, stop);
  };
  const schedule = createPollSchedule({ server, sleep } as DetectingClient);
  const polls: [string, number, boolean][] = [];
  const open: (() => void)[] = [];
  const next = (name: string, dueMs: number | ((runs: number) => number), mayWait = true, stop = signal) => {
    const poll = (isLong: boolean) => {
      polls.push([name, performance.now() - start, isLong]);
      return new Promise<QueryRun>((resolve) => open.push(() => resolve(run)));
    };
    const due = (runs: number) => start + (typeof dueMs === "number" ? dueMs : dueMs(runs));
    return schedule.next({ due, mayWait, poll }, stop);
  };
  const enter = (runs: number) => Array.from({ length: runs }, () => schedule.enter());
  /** Milliseconds until the time grid, whose phase is 25 ms after a multiple of 100. */
  const toGrid = (dueMs: number) => Math.ceil((start + dueMs - 25) / 100) * 100 + 25 - start;
  return { schedule, enter, next, polls, open, pauses, toGrid };
}

describe("the schedule of a client", () => {
  it("polls one run that is due at once, and long if it may wait", async () => {
    const { enter, next, polls, open } = scheduled({ batch: true });
    enter(1);
    const answer = next("a", 0);
    expect(polls).toEqual([]);
    await microtasks();
    expect(polls).toEqual([["a", 0, true]]);
    open[0]?.();
    expect(await answer).toBe(run);
    void next("a", 0, false);
    await microtasks();
    expect(polls[1]).toEqual(["a", 0, false]);
  });

  it.each<[string, ServerFeatures, number, number]>([
    ["is not due", { batch: true }, 1, 130],
    ["is not the only one", { batch: true }, 2, 0],
    ["is of a service without long polls", { batch: true, longPoll: false }, 1, 0],
  ])("polls a run on the time grid if it %s", async (_, server, runCount, due) => {
    const { enter, next, polls, pauses, toGrid } = scheduled(server);
    enter(runCount);
    void next("a", due);
    const grid = toGrid(due);
    expect(pauses).toEqual([grid]);
    await vi.advanceTimersByTimeAsync(grid - 1);
    expect(polls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(polls).toEqual([["a", grid, server.longPoll !== false]]);
  });

  it("polls all runs when the first of them is due, and a run that is overdue without a negative pause", async () => {
    const { enter, next, polls, pauses, toGrid } = scheduled({ batch: true });
    enter(3);
    void next("a", 900);
    void next("b", 300);
    void next("c", 600);
    expect(pauses).toEqual([900, 300, 300].map(toGrid));
    await vi.advanceTimersByTimeAsync(toGrid(300));
    const at = toGrid(300);
    expect(polls).toEqual(["a", "b", "c"].map((name) => [name, at, true]));
    await vi.advanceTimersByTimeAsync(1000);
    expect(polls).toHaveLength(3);
    void next("a", 0);
    expect(pauses.at(-1)).toBe(0);
  });

  it("polls the runs that are left earlier when others end", async () => {
    const { enter, next, polls, toGrid } = scheduled({ batch: true });
    const leave = enter(50);
    void next("a", (runs) => runs * 20);
    await vi.advanceTimersByTimeAsync(100);
    for (const each of leave.slice(10)) each();
    await vi.advanceTimersByTimeAsync(toGrid(200) - 100);
    expect(polls).toEqual([["a", toGrid(200), true]]);
    for (const each of leave.slice(0, 10)) each();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[string, boolean, readonly boolean[], boolean]>([
    ["three that may wait, in a batch", true, [true, true, true], true],
    ["two that may wait, without batches", false, [true, true], true],
    ["three that may wait, without batches", false, [true, true, true], false],
    ["one that may not wait", true, [true, false, true], false],
  ])("polls are long or short together: %s", async (_, batch, mayWait, isLong) => {
    const { enter, next, polls } = scheduled({ batch });
    enter(mayWait.length);
    for (const may of mayWait) void next("a", 0, may);
    await vi.advanceTimersByTimeAsync(100);
    expect(polls.map(([, , long]) => long)).toEqual(mayWait.map(() => isLong));
  });

  it("has at most two groups of long polls at a time", async () => {
    const { enter, next, polls, open } = scheduled({ batch: true });
    enter(1);
    for (const name of ["a", "b", "c"]) {
      void next(name, 0);
      await microtasks();
    }
    open[2]?.();
    await microtasks();
    void next("d", 0);
    await microtasks();
    open[0]?.();
    await microtasks();
    void next("e", 0);
    await microtasks();
    expect(polls.map(([name, , isLong]) => [name, isLong])).toEqual([
      ["a", true],
      ["b", true],
      ["c", false],
      ["d", false],
      ["e", true],
    ]);
  });

  it("polls at once and short when a caller leaves, and the others later", async () => {
    const { enter, next, polls, toGrid } = scheduled({ batch: true });
    enter(2);
    const leaving = new AbortController();
    void next("a", 100, true, leaving.signal);
    void next("b", 500);
    leaving.abort();
    expect(polls).toEqual([["a", 0, false]]);
    void next("c", 900, true, leaving.signal);
    expect(polls.slice(1)).toEqual([["c", 0, false]]);
    await vi.advanceTimersByTimeAsync(toGrid(500));
    expect(polls.slice(2)).toEqual([["b", toGrid(500), true]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("the schedule of a client has no timer once its only run is left", () => {
  const { enter, next, polls, pauses } = scheduled({ batch: true });
  enter(1);
  const leaving = new AbortController();
  void next("a", 100, true, leaving.signal);
  expect(vi.getTimerCount()).toBe(1);
  leaving.abort();
  expect([polls.length, pauses.length, vi.getTimerCount()]).toEqual([1, 1, 0]);
});

describe("the polls of a run", () => {
  /** Polls runs for some time. Returns the times of the polls of the first one, and what it sent. */
  async function polled(runs: number, ms: number, server: ServerFeatures, outageTimeoutMs = 300_000) {
    vi.spyOn(Math, "random").mockReturnValue(0);
    vi.spyOn(performance, "now").mockImplementation(() => Date.now());
    vi.setSystemTime(1_000_000);
    const times: number[] = [];
    const sent: [unknown, number | undefined][] = [];
    const leaving = new AbortController();
    const call = async (_: object, params: Readonly<Record<string, unknown>>, options: CallOptions) => {
      if (leaving.signal.aborted) throw leaving.signal.reason;
      if (params.queryRunId === "0") times.push(Date.now() - 1_000_000);
      if (params.queryRunId === "0") sent.push([params.waitSeconds, options.timeoutMs]);
      if (params.waitSeconds) await pause(20_000, leaving.signal);
      return { queryRun: run };
    };
    const client = { server, call, sleep: pause, timeoutMs: 60_000, outageTimeoutMs } as unknown as Client;
    const all = Array.from({ length: runs }, (_, at) => pollUntilFinal(client, `${at}`, undefined, leaving.signal));
    const ended = Promise.allSettled(all);
    await vi.advanceTimersByTimeAsync(ms);
    leaving.abort();
    await vi.advanceTimersByTimeAsync(100);
    await ended;
    return { times, sent };
  }

  it.each([
    [1, [100, 200, 300, 400, 500, 700, 900, 1200, 1500, 1900, 2400, 3000, 3800, 4800, 6000, 7500, 9400, 11400, 13400]],
    [25, [100, 200, 400, 700, 1200, 2000, 3300, 5300, 7300, 9300, 11300, 13300]],
    [50, [100, 300, 700, 1600, 3600, 5600, 7600, 9600, 11600]],
  ])("of %i runs without long polls come at growing intervals of at most 2 s", async (runs, expected) => {
    expect((await polled(runs, 13_500, { batch: true, longPoll: false })).times).toEqual(expected);
  });

  it("are long after the first, for 20 s beyond the time limit", async () => {
    const { times, sent } = await polled(1, 30_000, { batch: true });
    expect(times.slice(0, 3)).toEqual([0, 100, 20_100]);
    expect(sent.slice(0, 2)).toEqual([
      [undefined, 60_000],
      [20, 80_000],
    ]);
  });

  it("have the time that is left of an outage, and 1 s at least", async () => {
    const server = { batch: true, longPoll: false };
    expect((await polled(1, 250, server, 500)).sent).toEqual([
      [undefined, 1000],
      [undefined, 1000],
    ]);
    expect((await polled(1, 150, server, 5_000)).sent).toEqual([[undefined, 4_900]]);
  });
});
