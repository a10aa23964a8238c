import { expect, it } from "vitest";
import { readAhead } from "../../src/protocol/read-ahead.ts";

const flushPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Yields 1, 2 … and records each request for an item, and the end. */
async function* numbers(log: (number | "end")[], last: number, end = async (): Promise<void> => {}) {
  try {
    for (let n = 1; n <= last; n += 1) {
      log.push(n);
      yield n;
    }
    await end();
  } finally {
    log.push("end");
  }
}

it("yields all items in order", async () => {
  expect(await Array.fromAsync(readAhead(numbers([], 3)))).toEqual([1, 2, 3]);
  expect(await Array.fromAsync(readAhead(numbers([], 0)))).toEqual([]);
});

it("requests nothing before its start, and then one item ahead", async () => {
  const log: (number | "end")[] = [];
  const items = readAhead(numbers(log, 3));
  expect(log).toEqual([]);
  for (const requested of [
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, "end"],
  ]) {
    await items.next();
    await flushPromises();
    expect(log).toEqual(requested);
  }
});

it("throws an error after the items before it", async () => {
  const items = readAhead(numbers([], 1, () => Promise.reject(new Error("lost"))));
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await flushPromises();
  await expect(items.next()).rejects.toThrow("lost");
});

it("ends its source if the caller stops early, without a wait for the item in progress", async () => {
  const log: (number | "end")[] = [];
  for await (const _ of readAhead(numbers(log, 9))) break;
  await flushPromises();
  expect(log).toEqual([1, 2, "end"]);
  for await (const _ of readAhead(numbers([], 1, () => new Promise(() => {})))) break;
});

it("leaves no error of the item in progress unhandled if the caller stops early", async () => {
  const failure = flushPromises().then(() => Promise.reject(new Error("lost")));
  for await (const _ of readAhead(numbers([], 1, () => failure))) break;
  await flushPromises();
  await expect(failure).rejects.toThrow("lost");
});
