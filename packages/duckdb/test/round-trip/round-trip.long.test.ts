import { expect, it } from "vitest";
import { differencesOf } from "./mocks.ts";

it("125 random tables come back from each format, and are found by each shown value", async () => {
  expect(await differencesOf(100, 225)).toEqual([]);
});
