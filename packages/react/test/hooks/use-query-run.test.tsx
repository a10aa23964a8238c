// @vitest-environment happy-dom
import { createQueryRun, type QueryRun } from "@quern/client";
import { type DehydratedState, dehydrate, hydrate, QueryClient } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import { queryRunOptions, useQueryRun } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

function State({ id }: { id: string }) {
  const { data, isFetching } = useQueryRun(id);
  return <p>{`${data?.state} ${isFetching ? "goes on" : "has ended"}`}</p>;
}

describe("useQueryRun", () => {
  it("returns the run from the first poll to its end", async () => {
    const { mock, client } = createService();
    mock
      .when("select slow")
      .after("30s")
      .rows([{ n: 1 }]);
    const { queryRun } = await createQueryRun(client, { sql: "select slow" });
    using page = openPage(client);
    page.render(<State id={queryRun.id} />);
    await page.shows("QUERY_STATE_RUNNING goes on");
    mock.clock.advance("30s");
    await page.shows("QUERY_STATE_SUCCESS has ended");
  });

  it.each([
    ["goes on from a run that a server has seen running", "QUERY_STATE_RUNNING", true],
    ["asks nothing of a run that a server has seen end", "QUERY_STATE_SUCCESS", false],
  ])("%s, whatever staleTime the QueryClient has", async (_, seen, asks) => {
    const { mock, client, sent } = createService();
    mock
      .when("select slow")
      .after("30s")
      .rows([{ n: 1 }]);
    const { queryRun } = await createQueryRun(client, { sql: "select slow" });
    if (seen === "QUERY_STATE_SUCCESS") mock.clock.advance("30s");
    const onServer = new QueryClient();
    const options = queryRunOptions(client, queryRun.id);
    const reading = onServer.prefetchQuery(options);
    await vi.waitFor(() => expect(onServer.getQueryData(options.queryKey)?.state).toBe(seen), patience);
    const state: DehydratedState = JSON.parse(JSON.stringify(dehydrate(onServer)));
    await onServer.cancelQueries();
    await reading;

    const inPage = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    hydrate(inPage, state);
    mock.clock.advance("60s");
    const asked = sent.length;
    using page = openPage(client, inPage);
    page.render(<State id={queryRun.id} />);
    await page.shows("QUERY_STATE_SUCCESS has ended");
    expect(sent.length > asked).toBe(asks);
  });

  it("works with another query key", async () => {
    const { mock, client } = createService();
    mock.when("select slow").after("30s").rows([]);
    const { queryRun } = await createQueryRun(client, { sql: "select slow" });
    const queryClient = new QueryClient();
    const queryKey = ["mine", queryRun.id];
    const reading = queryClient.fetchQuery({ ...queryRunOptions(client, queryRun.id), queryKey });
    const seen = () => queryClient.getQueryData<QueryRun>(queryKey)?.state;
    await vi.waitFor(() => expect(seen()).toBe("QUERY_STATE_RUNNING"), patience);
    mock.clock.advance("30s");
    await reading;
    expect(queryClient.getQueryCache().getAll()).toHaveLength(1);
  });

  it("returns the error of an unknown run without a retry", async () => {
    const { client, sent } = createService();
    function Failure() {
      return <p>{useQueryRun("unknown").error?.errorName}</p>;
    }
    using page = openPage(client);
    page.render(<Failure />);
    await page.shows("QueryRunNotFound");
    expect(sent).toEqual(["getQueryRun"]);
  });
});
