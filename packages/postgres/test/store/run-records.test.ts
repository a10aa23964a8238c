import { expect, it } from "vitest";
import type { Queries } from "../../src/store/database.ts";
import { deleteRuns } from "../../src/store/run-records.ts";

it("deletes no runs without a query", async () => {
  expect(await deleteRuns({} as Queries, [])).toBe(0);
});
