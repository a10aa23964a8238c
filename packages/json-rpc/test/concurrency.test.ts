import { expect, test } from "vitest";
import { mapConcurrently } from "../src/concurrency.ts";
import { call, createEcho, idle, send } from "./echo.ts";

test("the concurrency is limited, and waiting items are not counted", async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let working = 0;
  let most = 0;
  const step = async (): Promise<void> => {
    most = Math.max(most, ++working);
    await Promise.resolve();
    working--;
  };
  const results = await mapConcurrently([0, 1, 2, 3, 4, 5, 6, 7], 2, async (item, withoutSlot) => {
    await step();
    // The last one would never start if the others held their slots.
    if (item === 7) release();
    await withoutSlot(() => released);
    await step();
    return item;
  });
  expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(2);
});

test("a batch runs 16 calls at a time by default", async () => {
  let running = 0;
  const seen: number[] = [];
  const handler = createEcho({
    handlers: {
      ...idle,
      async echo() {
        seen.push(++running);
        await Promise.resolve();
        running--;
      },
    },
  });
  await send(
    Array.from({ length: 40 }, (_, id) => call("echo", [{ text: "" }], id)),
    handler,
  );
  expect(Math.max(...seen)).toBe(16);
});

test("other events are served between the calls of a batch", async () => {
  const events: string[] = [];
  const handler = createEcho({
    limits: { maxBatchConcurrency: 2 },
    handlers: { ...idle, echo: ({ text }) => void events.push(text) },
  });
  const calls = ["a", "b", "c", "d", "e", "f"].map((text, id) => call("echo", [{ text }], id));
  let isAnswered = false;
  const answered = send(calls, handler).then(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    events.push("-");
  }
  await answered;
  expect(events.join("")).toMatch(/^-*ab-+cd-+ef-*$/);
});
