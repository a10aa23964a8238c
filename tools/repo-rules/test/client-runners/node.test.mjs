import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { readCars } from "./queries.mjs";

test("all timers are fake", async () => {
  mock.timers.enable();
  assert.equal(await readCars(), "1,2,3 1,2,3");
  mock.timers.reset();
});
