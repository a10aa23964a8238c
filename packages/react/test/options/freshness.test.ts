import { expect, it } from "vitest";
import { freshness } from "../../src/options/freshness.ts";

it("leaves the time that a server keeps results to TanStack Query, which holds no process by a timer", () => {
  expect(freshness({ sql: "a", resultTTLHours: 1 }, [])).not.toHaveProperty("gcTime");
});
