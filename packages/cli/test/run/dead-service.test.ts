import { createMockServer } from "@quern/mock-server";
import { expect, it, vi } from "vitest";
import { quernOn } from "../quern.ts";

const service = vi.hoisted(() => ({ hasEnded: false }));

// The client repeats its polls for a minute after the end of the service. Its clock does not wait for that.
vi.mock("@quern/client", async (original) => {
  const client = await original<typeof import("@quern/client")>();
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, service.hasEnded ? 0 : ms));
  const createClient: typeof client.createClient = (options) => client.createClient({ ...options, sleep });
  return { ...client, createClient };
});

it("names the run, and the command that goes on with it, when the service has ended", async () => {
  const mock = createMockServer();
  mock.when("select slow").after("1h").rows([]);
  const on = await quernOn(mock);
  const runs = async () => JSON.parse((await on.run(["list-query-runs"])).stdout).queryRuns;
  const { ended } = on.start(["query", "select slow"]);
  await expect.poll(async () => (await runs())[0]?.state, { timeout: 20_000 }).toBe("QUERY_STATE_RUNNING");
  const [{ id }] = await runs();
  await on[Symbol.asyncDispose]();
  service.hasEnded = true;
  const { status, stderr } = await ended;
  expect(status).toBe(7);
  expect(stderr).toMatch(
    new RegExp(`; \`quern result ${id}\` prints the result of the run once the service answers\n$`),
  );
});
