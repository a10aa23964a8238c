import { expect, it } from "vitest";
import { freshness } from "../src/freshness.ts";

it("holds no process by a timer where there is no page", () => {
  expect(freshness({ sql: "a" }).gcTime).toBe(Infinity);
});
