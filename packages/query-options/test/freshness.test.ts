import { QueryClient } from "@tanstack/query-core";
import { expect, it, onTestFinished, vi } from "vitest";
import { freshness } from "../src/freshness.ts";
import { queryResultsOptions } from "../src/index.ts";
import { createService } from "./support/service.ts";

it("sets no gcTime on a server, where a timer would keep the process alive", () => {
  expect(freshness({ sql: "a", resultTTLHours: 1 }, [])).not.toHaveProperty("gcTime");
});

it("reads the run of another view for as long as maxAgeMinutes, and then a new one", async () => {
  const { mock, client, created } = createService();
  mock.when("a").rows([{ n: 1 }]);
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const queryClient = new QueryClient();
  const read = (lt: number) =>
    queryClient.fetchQuery(queryResultsOptions(client, { sql: "a", maxAgeMinutes: 1, filters: [{ column: "n", lt }] }));
  const { queryRunId } = await read(2);
  vi.setSystemTime(Date.now() + 59_999);
  expect(await read(3)).toMatchObject({ queryRunId });
  expect(created).toHaveLength(1);
  vi.setSystemTime(Date.now() + 1);
  await read(4);
  expect(created).toHaveLength(2);
});
