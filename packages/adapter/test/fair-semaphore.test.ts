import { expect, it, vi } from "vitest";
import { createFairSemaphore } from "../src/fair-semaphore.ts";

const patient = new AbortController().signal;
/** Waits for all settled promises to be handled. */
const flushPromises = () => new Promise<void>((resolve) => setImmediate(resolve));

it("admits as many requests as it has permits, and tenants round-robin", async () => {
  const semaphore = createFairSemaphore(2);
  const entered: string[] = [];
  const releases: (() => void)[] = [];
  for (const tenant of ["loud", "loud", "loud", "loud", "quiet", "late", "loud"])
    void semaphore.acquire(tenant, patient).then((release) => {
      entered.push(tenant);
      releases.push(release);
    });
  await flushPromises();
  expect(entered).toEqual(["loud", "loud"]);
  for (let next = 0; next < 5; next += 1) {
    releases[next]?.();
    releases[next]?.(); // a second call has no effect
    await flushPromises();
    expect(entered).toHaveLength(next + 3);
  }
  expect(entered.slice(2)).toEqual(["loud", "quiet", "late", "loud", "loud"]);
});

it("skips an aborted request, and keeps its permit", async () => {
  const semaphore = createFairSemaphore(1);
  const release = await semaphore.acquire("a", patient);
  const caller = new AbortController();
  const gone = semaphore.acquire("b", caller.signal);
  const next = semaphore.acquire("c", patient);
  caller.abort(new Error("gone"));
  await expect(gone).rejects.toThrow("gone");
  release();
  (await next)();
  (await semaphore.acquire("d", patient))();
  await expect(semaphore.acquire("b", caller.signal)).rejects.toThrow("gone");
});

it("gives a permit without waiting only if one is free", async () => {
  const semaphore = createFairSemaphore(1);
  const release = semaphore.tryAcquire("a");
  expect(semaphore.tryAcquire("a")).toBeUndefined();
  const waiting = semaphore.acquire("a", patient);
  release?.();
  expect(semaphore.tryAcquire("a")).toBeUndefined(); // the request that waited has the permit
  (await waiting)();
  expect(semaphore.tryAcquire("a")).toBeInstanceOf(Function);
});

it("gives a tenant a part of the permits only, so that another one does not wait", async () => {
  const semaphore = createFairSemaphore(3, 2);
  const release = await semaphore.acquire("loud", patient);
  await semaphore.acquire("loud", patient);
  const entered: string[] = [];
  const waiting = [1, 2].map(() => semaphore.acquire("loud", patient).then(() => entered.push("loud")));
  expect(semaphore.tryAcquire("loud")).toBeUndefined();
  expect(semaphore.waiting("loud")).toBe(2);
  const quiet = await semaphore.acquire("quiet", patient);
  const late = semaphore.acquire("late", patient).then(() => entered.push("late"));
  quiet(); // the first tenant that waits has its part already
  await late;
  expect(entered).toEqual(["late"]);
  release();
  await waiting[0];
  expect(entered).toEqual(["late", "loud"]);
  expect([semaphore.waiting("loud"), semaphore.waiting("quiet")]).toEqual([1, 0]);
});

it("counts the waiting requests of a tenant, and frees all permits again", async () => {
  const semaphore = createFairSemaphore(2);
  const releases = [semaphore.tryAcquire("a"), semaphore.tryAcquire("a")];
  const caller = new AbortController();
  const waiting = [1, 2].map(() => semaphore.acquire("b", caller.signal).catch((error: unknown) => error));
  expect([semaphore.waiting("a"), semaphore.waiting("b")]).toEqual([0, 2]);
  caller.abort("gone");
  expect(await Promise.all(waiting)).toEqual(["gone", "gone"]);
  expect(semaphore.waiting("b")).toBe(0);
  for (const release of releases) release?.();
  for (const release of releases) release?.();
  expect([1, 2, 3].map(() => semaphore.tryAcquire("c") !== undefined)).toEqual([true, true, false]);
});

it("listens to the signal of a request only while it waits", async () => {
  const semaphore = createFairSemaphore(1);
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, "removeEventListener");
  const release = semaphore.tryAcquire("a");
  const next = semaphore.acquire("b", signal);
  release?.();
  await next;
  expect(removed).toHaveBeenCalledOnce();
});

it("admits the later request of a tenant whose earlier one is aborted", async () => {
  const semaphore = createFairSemaphore(1);
  const release = semaphore.tryAcquire("a");
  const caller = new AbortController();
  const gone = semaphore.acquire("b", caller.signal);
  const next = semaphore.acquire("b", patient);
  caller.abort("gone");
  await expect(gone).rejects.toBe("gone");
  expect(semaphore.waiting("b")).toBe(1);
  release?.();
  (await next)();
  expect(semaphore.tryAcquire("b")).toBeInstanceOf(Function);
});

it("counts the permits that are given without waiting", async () => {
  const semaphore = createFairSemaphore(2);
  const first = await semaphore.acquire("a", patient);
  const second = semaphore.tryAcquire("a");
  expect(semaphore.tryAcquire("b")).toBeUndefined();
  first();
  const third = await semaphore.acquire("b", patient);
  expect(semaphore.tryAcquire("b")).toBeUndefined();
  for (const release of [second, third]) release?.();
  const permits = [1, 2, 3].map(() => semaphore.tryAcquire("a"));
  expect(permits.map((permit) => permit !== undefined)).toEqual([true, true, false]);
});
