import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { createBodyDiscarder } from "../src/body-discarder.ts";

const chunk = Buffer.alloc(40_000);

function createBody(): PassThrough {
  const body = new PassThrough({ highWaterMark: 1_000_000 });
  body.write(chunk);
  return body;
}

test("bodies are discarded at a limited rate, the oldest first, and leave no timer", async () => {
  const bodies = [createBody(), createBody(), createBody()];
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const discard = createBodyDiscarder();
  for (const body of bodies) discard(body);
  const waiting = () => bodies.map(({ readableLength }) => readableLength);
  expect(waiting()).toEqual([0, 0, 0]);
  for (const body of bodies) body.write(chunk);
  vi.advanceTimersByTime(20);
  expect(waiting()).toEqual([0, 0, 40_000]);
  vi.advanceTimersByTime(20);
  expect(waiting()).toEqual([0, 0, 0]);

  bodies[0]?.end();
  const [, ...others] = bodies;
  for (const body of others) body.destroy();
  await vi.waitUntil(() => {
    vi.advanceTimersByTime(20);
    return vi.getTimerCount() === 0;
  });
  expect(bodies[0]?.readableEnded).toBe(true);
});

test("the oldest body is destroyed for one that is too many", () => {
  const discard = createBodyDiscarder();
  const bodies = Array.from({ length: 18 }, createBody);
  for (const body of bodies) discard(body);
  expect(bodies.map(({ destroyed }) => destroyed).filter(Boolean)).toHaveLength(2);
  expect(bodies.slice(0, 3).map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
  for (const body of bodies) body.destroy();
});

test("at each interval as many bodies are read as have 64 kB, and one timer serves all", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const discard = createBodyDiscarder();
  const body = (length: number) => {
    const made = new PassThrough({ highWaterMark: 1_000_000 });
    made.pause();
    discard(made);
    made.write(Buffer.alloc(length));
    return made;
  };
  const bodies = [65_535, 1, 1].map(body);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(19);
  expect(bodies.map(({ readableLength }) => readableLength)).toEqual([65_535, 1, 1]);
  vi.advanceTimersByTime(1);
  expect(bodies.map(({ readableLength }) => readableLength)).toEqual([0, 0, 1]);
  vi.advanceTimersByTime(20);
  expect(bodies[2]?.readableLength).toBe(0);
  for (const each of bodies) each.destroy();
  await vi.waitUntil(() => vi.getTimerCount() === 0);
  // Later bodies get a timer of their own.
  const later = body(10);
  vi.advanceTimersByTime(20);
  expect([later.readableLength, vi.getTimerCount()]).toEqual([0, 1]);
  later.destroy();
  await vi.waitUntil(() => vi.getTimerCount() === 0);
});

test("a body that is discarded does not flow", () => {
  const body = new PassThrough();
  body.resume();
  createBodyDiscarder()(body);
  expect(body.isPaused()).toBe(true);
  body.destroy();
});
