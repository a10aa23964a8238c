import { UnavailableError } from "@quern/adapter";
import { expect, it, onTestFinished, vi } from "vitest";
import { createPermits } from "../../src/store/permits.ts";

const maxWaitMs = 60_000;

it("admits as many as there are permits, the others in their order", async () => {
  const permits = createPermits({ count: 2, reserved: 0, maxWaitMs });
  const admitted: number[] = [];
  for (const caller of [1, 2, 3, 4]) void permits.acquire().then(() => admitted.push(caller));
  await Promise.resolve();
  expect(admitted).toEqual([1, 2]);
  permits.release();
  await new Promise(setImmediate);
  expect(admitted).toEqual([1, 2, 3]);
  permits.release();
  permits.release();
  await new Promise(setImmediate);
  expect(admitted).toEqual([1, 2, 3, 4]);
});

it("rejects all who wait, and admits later callers", async () => {
  const permits = createPermits({ count: 1, reserved: 0, maxWaitMs });
  await permits.acquire();
  const waiting = [permits.acquire(), permits.acquire()];
  permits.rejectWaiting(new Error("away"));
  for (const each of waiting) await expect(each).rejects.toThrow("away");
  permits.release();
  await permits.acquire();
});

it("keeps a permit for urgent callers, which overtake the others", async () => {
  const permits = createPermits({ count: 2, reserved: 1, maxWaitMs });
  const admitted: string[] = [];
  const acquire = (name: string, isUrgent: boolean) => void permits.acquire(isUrgent).then(() => admitted.push(name));
  acquire("list", false);
  acquire("second list", false);
  acquire("renewal", true);
  acquire("claim", true);
  await new Promise(setImmediate);
  expect(admitted).toEqual(["list", "renewal"]);
  permits.release(false);
  await new Promise(setImmediate);
  expect(admitted).toEqual(["list", "renewal", "claim"]);
  permits.release(true);
  await new Promise(setImmediate);
  expect(admitted).toEqual(["list", "renewal", "claim", "second list"]);
});

it("rejects a caller whose wait is too long, and admits the next one", async () => {
  const permits = createPermits({ count: 1, reserved: 0, maxWaitMs: 20 });
  await permits.acquire();
  await expect(permits.acquire()).rejects.toThrow(UnavailableError);
  const next = permits.acquire();
  permits.release();
  await next;
});

it("waits as long as the caller says, else its own maximum, which its error names, and leaves no timer", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const permits = createPermits({ count: 1, reserved: 0, maxWaitMs: 30_000 });
  await permits.acquire();
  const ended: string[] = [];
  const wait = (name: string, waitMs?: number) =>
    void permits.acquire(false, waitMs).catch(({ message }: Error) => ended.push(`${name}: ${message}`));
  wait("short", 10);
  wait("long");
  await vi.advanceTimersByTimeAsync(9);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  const text = "No connection to the database was free for 30 seconds; try again later";
  expect(ended).toEqual([`short: ${text}`]);
  await vi.advanceTimersByTimeAsync(29_989);
  expect(ended).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended[1]).toBe(`long: ${text}`);
  // Neither takes the permit any more.
  permits.release();
  await permits.acquire();
  const waiting = permits.acquire();
  expect(vi.getTimerCount()).toBe(1);
  permits.release();
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});

it("rejects urgent callers first, without a timer, and counts none of those who waited", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const permits = createPermits({ count: 2, reserved: 1, maxWaitMs });
  const rejected: string[] = [];
  const acquire = (name: string, isUrgent: boolean) =>
    permits.acquire(isUrgent).catch((reason: string) => rejected.push(`${name} ${reason}`));
  await Promise.all([permits.acquire(true), permits.acquire()]);
  const waiting = [acquire("list", false), acquire("claim", true)];
  permits.rejectWaiting("away");
  expect(vi.getTimerCount()).toBe(0);
  await Promise.all(waiting);
  expect(rejected).toEqual(["claim away", "list away"]);
  permits.release(true);
  permits.release();
  await Promise.all([permits.acquire(), permits.acquire(true)]);
});
