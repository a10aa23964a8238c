import { expect, it } from "vitest";
import { startServer } from "../../../server/test/fixture.ts";

it("runs statements as long as the service takes", async () => {
  await using server = await startServer();
  const run = await server.run(`select len([${"1,".repeat(130_000)}1])`);
  expect(run.errorMessage).toBeNull();
  expect((await server.results({ queryRunId: run.id })).rows).toEqual([[130_001]]);
});
