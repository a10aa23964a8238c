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
