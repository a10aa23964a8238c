const { readCars } = require("./queries.mjs");

test("all timers are fake", async () => {
  jest.useFakeTimers();
  expect(await readCars()).toBe("1,2,3 1,2,3");
});
