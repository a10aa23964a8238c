import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClock } from "../../src/time/clock.ts";

const never = new AbortController().signal;

describe("the time of a clock", () => {
  it("stands still from its start, until it is advanced", () => {
    const clock = createClock({ startAt: 1_000 });
    expect([clock.now(), clock.isAuto]).toEqual([1_000, false]);
    clock.advance("1s");
    clock.advance(0.5);
    expect(clock.now()).toBe(2_000.5);
  });

  it("starts at the time of the machine", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 5_000 });
    onTestFinished(() => void vi.useRealTimers());
    const clock = createClock();
    vi.setSystemTime(9_000);
    expect(clock.now()).toBe(5_000);
  });

  it("ticks with the machine in whole milliseconds, and can be advanced, too", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = createClock({ startAt: 1_000, ticking: true });
    vi.advanceTimersByTime(250);
    expect(clock.now()).toBe(1_250);
    clock.advance("1s");
    expect(clock.now()).toBe(2_250);
  });

  it("can be advanced to the last date, but no further, and not back", () => {
    const clock = createClock({ startAt: 8_640_000_000_000_000 - 5 });
    expect(() => clock.advance(6)).toThrow(
      new RangeError("Invalid duration: 6; the clock can advance to +275760-09-13T00:00:00.000Z at most"),
    );
    clock.advance(5);
    expect(clock.now()).toBe(8_640_000_000_000_000);
    expect(() => clock.advance(-1)).toThrow(RangeError);
  });

  it.each([
    [{ auto: true, ticking: true }, "clock: auto and ticking exclude each other; set only one"],
    [{ startAt: Number.NaN }, "clock: invalid startAt: expected milliseconds since 1970, got NaN"],
    [{ startAt: "1970" }, "clock: invalid startAt: expected milliseconds since 1970, got 1970"],
    [
      { startAt: 8_640_000_000_000_001 },
      "clock: invalid startAt: expected milliseconds since 1970, got 8640000000000001",
    ],
    [{ ticks: true }, "clock: unknown member ticks; did you mean ticking?"],
  ])("is refused for %j", (options, message) => {
    expect(() => createClock(options as object)).toThrow(message);
  });
});

describe("a wait on a clock", () => {
  it("ends at its instant, at an abort, or at once if its instant has passed", async () => {
    const clock = createClock({ startAt: 0 });
    const ended: string[] = [];
    const wait = (name: string, instant: number, signal = never) =>
      clock.until(instant, signal).then(() => void ended.push(name));
    const caller = new AbortController();
    const waits = [
      wait("past", 0),
      wait("aborted before", 5, AbortSignal.abort()),
      wait("one", 1_000),
      wait("two", 2_000),
      wait("aborted", 3_000, caller.signal),
    ];
    await new Promise(setImmediate);
    expect(ended).toEqual(["past", "aborted before"]);
    clock.advance(999);
    await new Promise(setImmediate);
    expect(ended).toHaveLength(2);
    clock.advance(1);
    await waits[2];
    expect(ended).toEqual(["past", "aborted before", "one"]);
    caller.abort();
    await waits[4];
    expect(ended.at(-1)).toBe("aborted");
    clock.advance("1s");
    await waits[3];
  });

  it("leaves no listener on its signal, and no timer of a ticking clock", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = createClock({ startAt: 0, ticking: true });
    const caller = new AbortController();
    const remove = vi.spyOn(caller.signal, "removeEventListener");
    const wait = clock.until(100, caller.signal);
    await vi.advanceTimersByTimeAsync(100);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await wait;
    expect([vi.getTimerCount(), remove.mock.calls.length]).toEqual([0, 1]);
    const aborted = clock.until(10_000, caller.signal);
    caller.abort();
    await aborted;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("longer than a timer can wait starts none", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = createClock({ startAt: 0, ticking: true });
    void clock.until(2 ** 31 - 2, never);
    expect(vi.getTimerCount()).toBe(1);
    void clock.until(2 ** 31 - 1, never);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("is jumped to by an auto clock, the earliest first, without a jump for one that never ends", async () => {
    const clock = createClock({ startAt: 0, auto: true });
    const seen: number[] = [];
    const note = () => void seen.push(clock.now());
    void clock.until(Number.POSITIVE_INFINITY, never).then(note);
    await Promise.all([clock.until(5_000, never).then(note), clock.until(1_000, never).then(note)]);
    expect([seen, clock.now(), clock.isAuto]).toEqual([[1_000, 5_000], 5_000, true]);
  });
});
