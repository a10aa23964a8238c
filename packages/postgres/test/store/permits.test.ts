import { expect, it } from "vitest";
import { createPermits } from "../../src/store/permits.ts";

it("admits as many as there are permits, the others in their order", async () => {
  const permits = createPermits(2);
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
  const permits = createPermits(1);
  await permits.acquire();
  const waiting = [permits.acquire(), permits.acquire()];
  permits.rejectWaiting(new Error("away"));
  for (const each of waiting) await expect(each).rejects.toThrow("away");
  permits.release();
  await permits.acquire();
});
