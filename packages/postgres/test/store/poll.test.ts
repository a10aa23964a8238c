import { expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { createPoll } from "../../src/store/poll.ts";

it("polls once at a time, and again for calls during a poll", async () => {
  const answers: ((rows: readonly []) => void)[] = [];
  const database = { rows: () => new Promise((resolve) => answers.push(resolve)) };
  const poll = createPoll(database as unknown as Database, () => {});
  const calls = [poll(), poll(), poll()];
  expect(answers).toHaveLength(1);
  answers[0]?.([]);
  await new Promise(setImmediate);
  expect(answers).toHaveLength(2);
  // The second poll reads the clock, then the changes.
  answers[1]?.([]);
  await new Promise(setImmediate);
  answers[2]?.([]);
  await Promise.all(calls);
  expect(answers).toHaveLength(3);
});
