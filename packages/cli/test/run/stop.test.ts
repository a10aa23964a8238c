import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { listenForStop } from "../../src/run/stop.ts";

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
