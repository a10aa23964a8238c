import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createStoringState } from "../../src/scheduler/storing-state.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

it("makes no save of a result that is stored within 25 ms, and returns its time", async () => {
  const save = vi.fn(async () => {});
  const storing = createStoringState(save);
  storing.begin();
  vi.advanceTimersByTime(24.4);
  expect(await storing.stored()).toBe(24);
  vi.advanceTimersByTime(1_000);
  expect(save).not.toHaveBeenCalled();
});

it("makes the save once for a result that takes longer, and waits for it", async () => {
  const saved = Promise.withResolvers<void>();
  const save = vi.fn(() => saved.promise);
  const storing = createStoringState(save);
  storing.begin();
  vi.advanceTimersByTime(25);
  expect(save).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(975);
  const ended = vi.fn();
  const stored = storing.stored().then(ended);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).not.toHaveBeenCalled();
  saved.resolve();
  await stored;
  expect([ended.mock.calls, save.mock.calls]).toEqual([[[1_000]], [[]]]);
});

it("reports a save that could not be stored when the result is", async () => {
  const storing = createStoringState(() => Promise.reject(new Error("the disk is away")));
  storing.begin();
  vi.advanceTimersByTime(25);
  await new Promise((resolve) => setImmediate(resolve)); // not an unhandled rejection
  await expect(storing.stored()).rejects.toThrow("the disk is away");
});

it("makes no save after it is canceled, or before it is begun", async () => {
  const save = vi.fn(async () => {});
  const storing = createStoringState(save);
  vi.advanceTimersByTime(1_000);
  expect(await storing.stored()).toBe(0);
  storing.begin();
  storing.cancel();
  vi.advanceTimersByTime(1_000);
  expect(save).not.toHaveBeenCalled();
});
