import { createMockServer } from "@quern/mock-server";
import { expect, it } from "vitest";
import { quernOn } from "../quern.ts";

it("names the run, and the command that goes on with it, when the service has ended", async () => {
  const mock = createMockServer();
  mock.when("select slow").after("1h").rows([]);
  const on = await quernOn(mock);
  const runs = async () => JSON.parse((await on.run(["list-query-runs"])).stdout).queryRuns;
  const { ended } = on.start(["query", "select slow"]);
  await expect.poll(async () => (await runs())[0]?.state).toBe("QUERY_STATE_RUNNING");
  const [{ id }] = await runs();
  await on[Symbol.asyncDispose]();
  const { status, stderr } = await ended;
  expect(status).toBe(7);
  expect(stderr).toMatch(
    new RegExp(`; \`quern result ${id}\` prints the result of the run once the service answers\n$`),
  );
});
