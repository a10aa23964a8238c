import { jest } from "@jest/globals";
import { readCars } from "./queries.mjs";

afterEach(() => jest.useRealTimers());

test("all timers are fake", async () => {
  jest.useFakeTimers();
  expect(await readCars()).toBe("1,2,3 1,2,3");
});

const faked = ["Date", "hrtime", "performance", "setImmediate", "setInterval", "setTimeout", "clearTimeout"];
test.each([
  ["queueMicrotask", [...faked, "nextTick"]],
  ["nextTick", [...faked, "queueMicrotask"]],
])("%s is fake", async (_, doNotFake) => {
  jest.useFakeTimers({ doNotFake });
  expect(await readCars()).toBe("1,2,3 1,2,3");
});
