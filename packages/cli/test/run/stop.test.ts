import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { listenForStop, startDeadline, stopText } from "../../src/run/stop.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

it.each(signals)("stops by the first %s, and leaves the second one to end the process", (name) => {
  const process = new EventEmitter();
  const onStop = vi.fn();
  const stop = listenForStop(process as NodeJS.Process, onStop);
  expect(stop.signal.aborted).toBe(false);
  process.emit(name, name);
  expect([stop.signal.aborted, stop.name()]).toEqual([true, name]);
  expect(onStop).toHaveBeenCalledOnce();
  expect(signals.map((each) => process.listenerCount(each))).toEqual([0, 0, 0]);
});

it("removes its listeners at the end of a command", () => {
  const process = new EventEmitter();
  listenForStop(process as NodeJS.Process, () => {}).end();
  expect(signals.map((each) => process.listenerCount(each))).toEqual([0, 0, 0]);
});

it("aborts its signal at the deadline, unless the deadline is ended before", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [deadline, ended] = [startDeadline(2), startDeadline(2)];
  ended.end();
  vi.advanceTimersByTime(1_999);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect([deadline.signal.aborted, ended.signal.aborted, vi.getTimerCount()]).toEqual([true, false, 0]);
});

it("passes its signal only once the stop is announced", () => {
  const process = new EventEmitter();
  const order: string[] = [];
  const stop = listenForStop(
    process as NodeJS.Process,
    () => void order.push(`${stop.name()}, ${stop.signal.aborted}`),
  );
  expect(stop.name()).toBeUndefined();
  process.emit("SIGTERM", "SIGTERM");
  expect(order).toEqual(["SIGTERM, false"]);
});

it.each([
  ["timeout", "not done within 1.5 s."],
  ["SIGINT", "interrupted."],
  ["SIGTERM", "stopped by SIGTERM."],
  ["SIGHUP", "stopped by SIGHUP."],
] as const)("is explained for %s", (by, text) => {
  expect(stopText(by, 1.5)).toBe(text);
});
