import { createClient, createQueryRun, getQueryRun, query } from "@quern/client";
import { describe, expect, it, vi } from "vitest";
import type { DetectingClient } from "../../../client/src/wire/client.ts";
import { createMockServer } from "../../src/index.ts";
import { createClock } from "../../src/time/clock.ts";
import { callerOf } from "../caller.ts";

const never = new AbortController().signal;
const auto = { startAt: 0, auto: true };

describe("a clock that stands still", () => {
  it("prints the line to write for a test that waits", async () => {
    const hints: string[] = [];
    const mock = createMockServer({ clock: { onStandstill: (hint) => hints.push(hint) } });
    mock.when("select slow").after("5s");
    const { call, create } = callerOf(mock);
    const held = call("getQueryRun", { queryRunId: await create("select slow"), waitSeconds: 20 });
    await vi.waitFor(() => expect(hints.length).toBe(1), 4_000);
    expect(hints[0]).toMatch(
      /^the mock's clock stands still, and a call or a run ends only after another 5s on it; call mock\.clock\.advance\("5s"\), or advanceClock with { "by": "5s" } by HTTP, .*auto: true[^;]*$/,
    );
    mock.clock.advance("5000ms");
    expect((await held).queryRun.state).toBe("QUERY_STATE_SUCCESS");
  });

  it("prints the duration of the run for a test that advanced it before the run was created", async () => {
    const hints: string[] = [];
    const mock = createMockServer({ clock: { onStandstill: (hint) => hints.push(hint) } });
    mock.when("select slow").after("30s");
    const { call, create } = callerOf(mock);
    mock.clock.advance("30s");
    const held = call("getQueryRun", { queryRunId: await create("select slow"), waitSeconds: 20 });
    await vi.waitFor(() => expect(hints.length).toBe(1), 4_000);
    expect(hints[0]).toMatch(
      /^the mock's clock stands still, .* after another 30s on it; .*; an advance affects only runs that were created before it$/,
    );
    mock.clock.advance("30s");
    expect((await held).queryRun.state).toBe("QUERY_STATE_SUCCESS");
  });

  it("prints the same hint for a test that polls", async () => {
    const hints: string[] = [];
    const mock = createMockServer({ clock: { onStandstill: (hint) => hints.push(hint) } });
    mock.when("select slow").after("2s");
    const { create, poll } = callerOf(mock);
    const id = await create("select slow");
    await vi.waitFor(
      async () => {
        await poll(id);
        expect(hints).toEqual([expect.stringContaining('mock.clock.advance("2s")')]);
      },
      { timeout: 4_000, interval: 50 },
    );
  });

  it("prints nothing if it is advanced, or the wait is aborted", async () => {
    vi.useFakeTimers();
    const hints: string[] = [];
    vi.resetModules();
    try {
      const { createClock: create } = await import("../../src/time/clock.ts");
      const options = { onStandstill: (hint: string) => hints.push(hint) };
      const [moved, left] = [create(options), create(options)];
      const waits = [moved.until(moved.now() + 500, never)];
      const gone = new AbortController();
      waits.push(left.until(left.now() + 500, gone.signal));
      moved.advance(500);
      gone.abort();
      await Promise.all(waits);
      for (const other of [create({ ticking: true, ...options }), left])
        void other.until(other === left ? Number.POSITIVE_INFINITY : other.now() + 10_000, never);
      vi.advanceTimersByTime(5_000);
      expect(hints).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("an auto clock", () => {
  it("wakes waits in the order of their instants, one at a time", async () => {
    const clock = createClock(auto);
    const woken: [string, number][] = [];
    const wait = async (name: string, instant: number) => {
      await clock.until(instant, never);
      woken.push([name, clock.now()]);
    };
    const late = wait("late", 2_000);
    await wait("early", 1_000);
    await wait("early again", 1_500);
    await late;
    expect(woken).toEqual([
      ["early", 1_000],
      ["early again", 1_500],
      ["late", 2_000],
    ]);
  });

  it("lets a woken caller run before it jumps again", async () => {
    const clock = createClock(auto);
    const woken: number[] = [];
    const late = clock.until(2_000, never).then(() => woken.push(clock.now()));
    await clock.until(1_000, never);
    await new Promise(setImmediate);
    await clock.until(1_500, never);
    woken.push(clock.now());
    await late;
    expect(woken).toEqual([1_500, 2_000]);
  });

  it("does not jump for an aborted wait", async () => {
    const clock = createClock(auto);
    const gone = new AbortController();
    const wait = clock.until(9_000, gone.signal);
    gone.abort();
    await wait;
    await clock.until(1_000, never);
    expect(clock.now()).toBe(1_000);
  });

  it("stands still if its only wait is aborted", async () => {
    const clock = createClock({ startAt: 1_000, auto: true });
    const gone = new AbortController();
    const wait = clock.until(9_000, gone.signal);
    gone.abort();
    await wait;
    await new Promise((resolve) => setTimeout(resolve, 1)); // timers of the same length fire in their order
    expect(clock.now()).toBe(1_000);
  });

  it("stands still without waits, and ignores fake timers", async () => {
    vi.useFakeTimers();
    try {
      const clock = createClock(auto);
      const gone = new AbortController();
      const wait = clock.until(Number.POSITIVE_INFINITY, gone.signal);
      await clock.until(1_000, never);
      expect(clock.now()).toBe(1_000);
      gone.abort();
      await wait;
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not keep a process alive without waits", async () => {
    vi.useFakeTimers();
    vi.resetModules();
    try {
      const { createClock: create } = await import("../../src/time/clock.ts");
      const clock = create(auto);
      const gone = new AbortController();
      const waits = [clock.until(1_000, never), clock.until(Number.POSITIVE_INFINITY, gone.signal)];
      await vi.advanceTimersToNextTimerAsync();
      await waits[0];
      expect([clock.now(), vi.getTimerCount()]).toEqual([1_000, 0]);
      gone.abort();
      await Promise.all(waits);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("lets a poll that would repeat the last state find the next one", async () => {
    const mock = createMockServer({ clock: auto });
    mock.when("select").after("1h");
    const { create, poll } = callerOf(mock);
    const id = await create("select");
    expect([await poll(id), await poll(id), await poll(id)]).toEqual(["RUNNING", "STREAMING_RESULTS", "SUCCESS"]);
    expect(mock.clock.now()).toBe(3_600_000);
  });

  it("doubles the held polls that repeat a state, so that a run of days takes few", async () => {
    const mock = createMockServer({ clock: auto });
    mock
      .when("select")
      .rows([{ n: 1 }])
      .after("3d");
    await query(createClient(mock), { sql: "select" });
    expect(mock.history.callsOf("getQueryRun").length).toBeLessThan(20);
    expect(mock.clock.now()).toBe(3 * 86_400_000);
  });

  it("does not hold a request in which another run has ended", async () => {
    const mock = createMockServer({ clock: auto });
    mock.when("select slow").after("3d");
    mock.when("select fast").after("50s");
    const client = createClient(mock);
    const created = [createQueryRun(client, { sql: "select slow" }), createQueryRun(client, { sql: "select fast" })];
    const ids = (await Promise.all(created)).map(({ queryRun }) => queryRun?.id ?? "");
    const polled = () => Promise.all(ids.map((queryRunId) => getQueryRun(client, { queryRunId, waitSeconds: 20 })));
    while ((await polled())[1]?.queryRun.state !== "QUERY_STATE_SUCCESS");
    expect(mock.clock.now()).toBeLessThanOrEqual(60_000);
  });

  it("ends calls that are held", async () => {
    const mock = createMockServer({ clock: auto });
    mock.when("select").after("30s");
    const { queryRun } = await callerOf(mock).call("createQueryRun", { sql: "select", waitSeconds: 50 });
    expect([queryRun.state, queryRun.endedAt]).toEqual(["QUERY_STATE_SUCCESS", "1970-01-01T00:00:30.000Z"]);
  });

  it("is the clock of polling loops that sleep on it", async () => {
    const mock = createMockServer({ clock: auto });
    mock.when("select").after("5m");
    const { create, poll } = callerOf(mock);
    const id = await create("select");
    while ((await poll(id)) !== "SUCCESS") await mock.sleep?.(5_000, never);
    expect(mock.clock.now()).toBeGreaterThanOrEqual(300_000);
  });
});

describe("our client on an auto clock", () => {
  it("sleeps between its polls without real time", async () => {
    const mock = createMockServer({ clock: auto });
    mock
      .when("select")
      .rows([{ n: 1 }])
      .afterPolls(50);
    const client = createClient(mock);
    Object.assign((client as DetectingClient).server, { longPoll: false, firstPage: false });
    await query(client, { sql: "select" });
    // At least a tenth of a second between two polls.
    expect(mock.clock.now()).toBeGreaterThan(4_000);
  });

  it("waits for a Retry-After without real time", async () => {
    const mock = createMockServer({ clock: auto });
    mock.when("select").rows([{ n: 1 }]);
    mock.fault("createQueryRun", { status: 429, headers: { "retry-after": "40" }, performed: false });
    await query(createClient(mock), { sql: "select" });
    expect(mock.clock.now()).toBeGreaterThanOrEqual(40_000);
  });

  it("sleeps in real time on another clock", () => {
    expect(createMockServer().sleep).toBeUndefined();
  });
});

it("a clock refuses a start that is not a time", () => {
  for (const startAt of [Number.NaN, 1e20, "2030-01-01" as unknown as number])
    expect(() => createMockServer({ clock: { startAt } })).toThrow(/expected milliseconds since 1970/);
});
