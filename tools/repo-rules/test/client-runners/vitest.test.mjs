import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { afterEach, expect, test, vi } from "vitest";
import { readCars } from "./queries.mjs";

afterEach(() => vi.useRealTimers());

test("the timers that vitest replaces by default are fake", async () => {
  vi.useFakeTimers();
  expect(await readCars()).toBe("1,2,3 1,2,3");
});

test("queueMicrotask is fake, which a Response of Node needs and a client on node:http does not", async () => {
  const mock = createMockServer();
  const { url, close } = await listen(mock);
  vi.useFakeTimers({ toFake: ["queueMicrotask"] });
  expect(await readCars(mock, { url, apiKey: mock.apiKey })).toBe("1,2,3 1,2,3");
  vi.useRealTimers();
  await close();
});
