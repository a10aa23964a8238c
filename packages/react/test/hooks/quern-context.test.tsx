// @vitest-environment happy-dom
import { createQueryRun } from "@quern/client";
import { describe, expect, it, vi } from "vitest";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import { useInfiniteResults, useQueryResults, useQueryRun } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

function Panel({ sql }: { sql: string }) {
  const { data, error } = useQueryResults({ sql });
  return <p>{error ? "failed " : data ? "rows " : "… "}</p>;
}

describe("a page that is closed", () => {
  it("withdraws unfinished queries, and refetches them when it is shown again", async () => {
    const { mock, client, sent, created } = createService();
    mock
      .when("slow")
      .after("30s")
      .rows([{ n: 1 }]);
    mock.when("quick").rows([{ n: 1 }]);
    using page = openPage(client);
    page.render([<Panel key="slow" sql="slow" />, <Panel key="quick" sql="quick" />]);
    await page.shows("… rows ");

    window.dispatchEvent(new Event("pagehide"));
    await vi.waitFor(() => expect(sent).toContain("cancelQueryRun"), patience);
    expect(created).toEqual(["slow", "quick"]);

    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.waitFor(() => expect(created).toEqual(["slow", "quick", "slow"]), patience);
    mock.clock.advance("30s");
    await page.shows("rows rows ");
  });

  it("polls its run again when it is shown again", async () => {
    const { mock, client } = createService();
    mock.when("slow").after("30s").rows([]);
    const { queryRun } = await createQueryRun(client, { sql: "slow" });
    function Run() {
      const { data, isFetching } = useQueryRun(queryRun.id);
      return <p>{`${data?.state} ${isFetching ? "goes on" : "rests"}`}</p>;
    }
    using page = openPage(client);
    page.render(<Run />);
    await page.shows("QUERY_STATE_RUNNING goes on");
    window.dispatchEvent(new Event("pagehide"));
    await page.shows("QUERY_STATE_RUNNING rests");
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await page.shows("QUERY_STATE_RUNNING goes on");
    mock.clock.advance("30s");
    await page.shows("QUERY_STATE_SUCCESS rests");
  });

  it("keeps its pages after an aborted fetch of the next one", async () => {
    const { mock, client, sent } = createService();
    mock.when("numbers").rows([{ n: 1 }, { n: 2 }]);
    let next = async () => {};
    function Numbers() {
      const { data, fetchNextPage, isFetching } = useInfiniteResults({ sql: "numbers", pageSize: 1 });
      next = async () => void (await fetchNextPage());
      return <p>{`${data?.pages.length} ${isFetching ? "goes on" : "rests"}`}</p>;
    }
    using page = openPage(client);
    page.render(<Numbers />);
    await page.shows("1 rests");
    mock.fault("getQueryRunResults", { delay: "1s" });
    void next();
    await page.shows("1 goes on");
    window.dispatchEvent(new Event("pagehide"));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await page.shows("1 rests");
    await next();
    await page.shows("2 rests");
    expect(sent.filter((methods) => methods === "createQueryRun")).toHaveLength(1);
  });

  it("refetches nothing when it is shown for the first time", async () => {
    const { mock, client, created } = createService();
    mock.when("broken").fails({ errorName: "BinderError", errorMessage: "no column x" });
    mock.when("quick").rows([{ n: 1 }]);
    using page = openPage(client);
    page.render([<Panel key="broken" sql="broken" />]);
    await page.shows("failed ");
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    page.render([<Panel key="broken" sql="broken" />, <Panel key="quick" sql="quick" />]);
    await page.shows("failed rows ");
    expect(created).toEqual(["broken", "quick"]);
  });

  it("is ignored by an unmounted provider", async () => {
    const { mock, client } = createService();
    mock.when("quick").rows([{ n: 1 }]);
    const page = openPage(client);
    page.render(<Panel sql="quick" />);
    await page.shows("rows ");
    page[Symbol.dispose]();
    const { queryClient } = page;
    const asked = [vi.spyOn(queryClient, "cancelQueries"), vi.spyOn(queryClient, "refetchQueries")];
    window.dispatchEvent(new Event("pagehide"));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    for (const spy of asked) expect(spy).not.toHaveBeenCalled();
  });
});
