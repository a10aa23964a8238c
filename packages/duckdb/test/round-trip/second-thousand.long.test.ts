import { expect, it } from "vitest";
import { differencesOf } from "./mocks.ts";

it("1,000 random tables come back from each format, and are found by each shown value", async () => {
  expect(await differencesOf(1_100, 2_100)).toEqual([]);
});
