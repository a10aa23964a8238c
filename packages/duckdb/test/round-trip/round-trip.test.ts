import { expect, it } from "vitest";
import { differencesOf } from "./mocks.ts";

it("100 random tables come back from each format, and are found by each shown value", async () => {
  expect(await differencesOf(0, 100)).toEqual([]);
}, 60_000); // a loaded machine takes ten times as long as a quiet one
