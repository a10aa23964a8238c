import { UnavailableError } from "@quern/adapter";
import { expect, it } from "vitest";
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
