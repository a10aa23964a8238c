import { untilAborted } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { within } from "../../src/sources/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<number>(() => {});
const expired = () => new Error("expired");

it("answers as the promise does, and leaves no timer and no listener", async () => {
  const { signal } = new AbortController();
  const [add, remove] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
  expect(remove.mock.calls).toEqual([add.mock.calls[0]?.slice(0, 2)]);
  expect(await within(10, Promise.resolve(7), expired)).toBe(7);
  await expect(within(10, Promise.reject(new Error("broken")), expired)).rejects.toThrow("broken");
  expect(vi.getTimerCount()).toBe(0);
});

it("gives up when the signal is aborted, or if it was before", async () => {
  const controller = new AbortController();
  const waiting = untilAborted(never, controller.signal);
  controller.abort("gone");
  await expect(waiting).rejects.toBe("gone");
  await expect(untilAborted(never, controller.signal)).rejects.toBe("gone");
});

it("gives up after the time, and passes on a value that arrives later", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const late = vi.fn();
  const waiting = within(10, promise, expired, late);
  const failure = expect(waiting).rejects.toThrow("expired");
  await vi.advanceTimersByTimeAsync(9);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await failure;
  expect(late).not.toHaveBeenCalled();
  resolve(7);
  await promise;
  expect(late.mock.calls).toEqual([[7]]);
});
