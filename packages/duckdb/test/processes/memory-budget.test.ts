import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryBudget } from "../../src/processes/memory-budget.ts";
import { residentBytes } from "../../src/processes/watchdogs.ts";

/** No process has this number. */
const nobody = 2 ** 22 + 1;

describe("a budget", () => {
  const exceeded: string[] = [];
  const exceed = (name: string) => () => void exceeded.push(name);
  afterEach(() => {
    vi.useRealTimers();
    exceeded.splice(0);
  });
  const fakeIntervals = () => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });

  it.runIf(process.platform !== "win32").each([
    ["nobody", "self"],
    ["self", "nobody"],
  ])("ends the process with the most memory once, and watches the others on: %s, %s", (...names) => {
    fakeIntervals();
    const budget = createMemoryBudget(1_000_000);
    const removes = names.map((name) => budget.add(name === "self" ? process.pid : nobody, exceed(name)));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(199);
    expect(exceeded).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exceeded).toEqual(["self"]);
    vi.advanceTimersByTime(10_000);
    expect([exceeded, vi.getTimerCount()]).toEqual([["self"], 1]);
    for (const remove of removes) remove();
    expect(vi.getTimerCount()).toBe(0);
    budget.add(process.pid, exceed("again"));
    vi.advanceTimersByTime(200);
    expect([exceeded, vi.getTimerCount()]).toEqual([["self", "again"], 0]);
  });

  it("ends no process within its limit, of which an ended process uses nothing", () => {
    fakeIntervals();
    const budget = createMemoryBudget(1e13);
    const removes = [process.pid, nobody].map((pid) => budget.add(pid, exceed("any")));
    vi.advanceTimersByTime(10_000);
    for (const remove of removes) remove();
    expect([budget.maxBytes, exceeded, vi.getTimerCount()]).toEqual([1e13, [], 0]);
    createMemoryBudget(0).add(nobody, exceed("ended"));
    vi.advanceTimersByTime(200);
    expect(exceeded).toEqual([]);
  });

  it.runIf(process.platform === "linux")("does not count memory that processes share", () => {
    fakeIntervals();
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    const bytes = (Number(kilobytes) * 1_024 + (residentBytes(process.pid) ?? 0)) / 2;
    createMemoryBudget(bytes).add(process.pid, exceed("self"));
    vi.advanceTimersByTime(200);
    expect(exceeded).toEqual([]);
  });

  it("does not keep the server alive", () => {
    const set = vi.spyOn(globalThis, "setInterval");
    const remove = createMemoryBudget(1e13).add(nobody, exceed("any"));
    const timers = set.mock.results.map(({ value }) => value as NodeJS.Timeout);
    set.mockRestore();
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    remove();
  });
});
