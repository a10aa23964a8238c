import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createStoringNote } from "../../src/scheduler/storing-note.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

it("makes no note of a result that is stored within 25 ms, and returns its time", async () => {
  const note = vi.fn(async () => {});
  const storing = createStoringNote(note);
  storing.begin();
  vi.advanceTimersByTime(24.4);
  expect(await storing.stored()).toBe(24);
  vi.advanceTimersByTime(1_000);
  expect(note).not.toHaveBeenCalled();
});

it("makes the note once for a result that takes longer, and waits for it", async () => {
  const noted = Promise.withResolvers<void>();
  const note = vi.fn(() => noted.promise);
  const storing = createStoringNote(note);
  storing.begin();
  vi.advanceTimersByTime(25);
  expect(note).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(975);
  const ended = vi.fn();
  const stored = storing.stored().then(ended);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).not.toHaveBeenCalled();
  noted.resolve();
  await stored;
  expect([ended.mock.calls, note.mock.calls]).toEqual([[[1_000]], [[]]]);
});

it("reports a note that could not be stored when the result is", async () => {
  const storing = createStoringNote(() => Promise.reject(new Error("the disk is away")));
  storing.begin();
  vi.advanceTimersByTime(25);
  await new Promise((resolve) => setImmediate(resolve)); // not an unhandled rejection
  await expect(storing.stored()).rejects.toThrow("the disk is away");
});

it("makes no note after it is canceled, or before it is begun", async () => {
  const note = vi.fn(async () => {});
  const storing = createStoringNote(note);
  vi.advanceTimersByTime(1_000);
  expect(await storing.stored()).toBe(0);
  storing.begin();
  storing.cancel();
  vi.advanceTimersByTime(1_000);
  expect(note).not.toHaveBeenCalled();
});
