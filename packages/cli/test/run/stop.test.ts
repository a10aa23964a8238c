import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { startStop, stopText } from "../../src/run/stop.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

it.each(signals)("stops by the first %s, and leaves the second one to end the process", (name) => {
  const process = new EventEmitter();
  const onStop = vi.fn();
  const stop = startStop(process as NodeJS.Process, 2, onStop);
  expect(stop.signal.aborted).toBe(false);
  process.emit(name, name);
  expect([stop.signal.aborted, stop.by(), stop.deadline.aborted]).toEqual([true, name, false]);
  stop.end();
  expect(onStop).toHaveBeenCalledOnce();
  expect(signals.map((each) => process.listenerCount(each))).toEqual([0, 0, 0]);
});

it("removes its listeners at the end of a command", () => {
  const process = new EventEmitter();
  startStop(process as NodeJS.Process, 2, () => {}).end();
  expect(signals.map((each) => process.listenerCount(each))).toEqual([0, 0, 0]);
});

it("stops at the deadline, unless the deadline or the command has ended before", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const started = () => startStop(new EventEmitter() as NodeJS.Process, 2, () => {});
  const [late, inTime, ended] = [started(), started(), started()];
  inTime.endDeadline();
  ended.end();
  vi.advanceTimersByTime(1_999);
  expect(late.deadline.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  const stops = [late, inTime, ended].map((stop) => [stop.by(), stop.deadline.aborted, stop.signal.aborted]);
  expect(stops).toEqual([
    ["timeout", true, false],
    [undefined, false, false],
    [undefined, false, false],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

it("passes its signal only once the stop is announced", () => {
  const process = new EventEmitter();
  const order: string[] = [];
  const announce = () => void order.push(`${stop.by()}, ${stop.signal.aborted}`);
  const stop = startStop(process as NodeJS.Process, 2, announce);
  expect(stop.by()).toBeUndefined();
  process.emit("SIGTERM", "SIGTERM");
  expect(order).toEqual(["SIGTERM, false"]);
  stop.end();
});

it.each([
  ["timeout", "not done within 1.5 s."],
  ["SIGINT", "interrupted."],
  ["SIGTERM", "stopped by SIGTERM."],
  ["SIGHUP", "stopped by SIGHUP."],
] as const)("is explained for %s", (by, text) => {
  expect(stopText(by, 1.5)).toBe(text);
});
