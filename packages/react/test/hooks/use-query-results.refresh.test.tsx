// @vitest-environment happy-dom
import { createQueryRun } from "@quern/client";
import { focusManager, onlineManager } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import { type RowsQuery, serviceKey, statementKey, useInfiniteResults, useQueryResults } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

const query = { sql: "select n", maxAgeMinutes: 60 };
type Numbers = ReturnType<typeof useQueryResults<{ n: number }>>;

/** Page that shows the numbers of a query, and the last result of its hook. */
function openNumbers() {
  const service = createService();
  const { mock, client, sent, created } = service;
  const serve = (...numbers: number[]) => mock.when("select n").rows(numbers.map((n) => ({ n })));
  serve(3, 1, 2);
  const page = openPage(client);
  let last: Numbers | undefined;
  function Rows(given: RowsQuery<{ n: number }>) {
    last = useQueryResults(given);
    const { data, error } = last;
    return <p>{error ? error.message : (data?.rows.map(({ n }) => n).join() ?? "…")}</p>;
  }
  const results = () => {
    if (!last) throw new Error("the page has not been rendered");
    return last;
  };
  return { ...service, page, serve, results, Rows, creates: () => created.length, requests: () => sent.length };
}

afterEach(() => {
  focusManager.setFocused(undefined);
  onlineManager.setOnline(true);
});

describe("rows that are refreshed", () => {
  it.each([
    ["refresh()", ({ results }: ReturnType<typeof openNumbers>) => results().refresh()],
    [
      "invalidateQueries of the service",
      ({ page, client }: ReturnType<typeof openNumbers>) =>
        page.queryClient.invalidateQueries({ queryKey: serviceKey(client) }),
    ],
    [
      "invalidateQueries of the statement",
      ({ page, client }: ReturnType<typeof openNumbers>) =>
        page.queryClient.invalidateQueries({ queryKey: statementKey(client, query) }),
    ],
  ])("by %s come from a new run, whatever maxAgeMinutes is", async (_, refresh) => {
    const test = openNumbers();
    using page = test.page;
    page.render(<test.Rows {...query} />);
    await page.shows("3,1,2");
    test.serve(4);
    await refresh(test);
    await page.shows("4");
    expect(test.creates()).toBe(2);
  });

  it("accept the stored result on focus and reconnect", async () => {
    const { page: opened, serve, Rows, creates, client } = openNumbers();
    using page = opened;
    page.render(<Rows {...query} />);
    await page.shows("3,1,2");
    serve(4);
    const [shown] = page.queryClient.getQueryCache().findAll({ queryKey: statementKey(client, query) });
    const isStale = () => shown?.setState({ dataUpdatedAt: Date.now() - 61 * 60_000 });
    isStale();
    focusManager.setFocused(false);
    focusManager.setFocused(true);
    await vi.waitFor(() => expect(creates()).toBe(2), patience);
    await vi.waitFor(() => expect(shown?.state.fetchStatus).toBe("idle"), patience);
    isStale();
    onlineManager.setOnline(false);
    onlineManager.setOnline(true);
    await vi.waitFor(() => expect(creates()).toBe(3), patience);
    await vi.waitFor(() => expect(shown?.state.fetchStatus).toBe("idle"), patience);
    await page.shows("3,1,2");
  });

  it("answer later queries that accept their age", async () => {
    const { page: opened, Rows, results, client } = openNumbers();
    using page = opened;
    page.render(<Rows {...query} maxAgeMinutes={0} />);
    await page.shows("3,1,2");
    const later = await createQueryRun(client, { sql: query.sql, maxAgeMinutes: 60 });
    expect(later.queryRun.id).toBe(results().queryRunId);
  });

  it("come from one new run, also during the first fetch", async () => {
    const { page: opened, serve, Rows, results, creates, mock, sent } = openNumbers();
    using page = opened;
    mock
      .when("select n")
      .after("30s")
      .rows([{ n: 3 }]);
    page.render(<Rows {...query} />);
    await vi.waitFor(() => expect(sent).toContain("getQueryRun"), patience);
    serve(4);
    const refreshed = results().refresh();
    await page.shows("4");
    await refreshed;
    await vi.waitFor(() => expect(sent.join(" ")).toContain("cancelQueryRun"), patience);
    expect(creates()).toBe(2);
    // The next fetch accepts a result of `maxAgeMinutes` again.
    serve(5);
    await results().refetch();
    await page.shows("4");
  });

  it("are refreshed together by one run, in every order on the page", async () => {
    const { page: opened, serve, Rows, results, creates } = openNumbers();
    using page = opened;
    page.render([
      <Rows key="as they come" {...query} />,
      <Rows key="sorted" {...query} sortBy={[{ column: "n", direction: "asc" }]} />,
    ]);
    await page.shows("3,1,21,2,3");
    expect(creates()).toBe(1);
    serve(6, 5);
    await results().refresh();
    await page.shows("6,55,6");
    expect(creates()).toBe(2);
  });
});

describe("another view of rows", () => {
  it.each([0, 60])(
    "reads the run that is shown, with maxAgeMinutes %i, and keeps the old rows until then",
    async (age) => {
      const { page: opened, Rows, results, creates, mock, sent } = openNumbers();
      using page = opened;
      page.render(<Rows {...query} maxAgeMinutes={age} />);
      await page.shows("3,1,2");
      const { queryRunId } = results();
      mock.fault("getQueryRunResults", { delay: "100ms" });
      page.render(<Rows {...query} maxAgeMinutes={age} sortBy={[{ column: "n", direction: "desc" }]} />);
      await vi.waitFor(() => expect(results()).toMatchObject({ isPlaceholderData: true, queryRunId }), patience);
      await page.shows("3,1,2");
      await vi.waitFor(
        () => expect(sent.filter((methods) => methods === "getQueryRunResults")).toHaveLength(1),
        patience,
      );
      mock.clock.advance("100ms");
      await page.shows("3,2,1");
      page.render(<Rows {...query} maxAgeMinutes={age} filters={[{ column: "n", lt: 3 }]} />);
      await page.shows("1,2");
      expect(results()).toMatchObject({ isPlaceholderData: false, queryRunId });
      expect(creates()).toBe(1);
    },
  );

  it("reads the unfinished run", async () => {
    const { page: opened, Rows, creates, mock, sent } = openNumbers();
    mock
      .when("select n")
      .after("30s")
      .rows([{ n: 2 }, { n: 1 }]);
    using page = opened;
    page.render(<Rows {...query} />);
    await vi.waitFor(() => expect(sent).toContain("getQueryRun"), patience);
    page.render(<Rows {...query} sortBy={[{ column: "n", direction: "asc" }]} />);
    mock.clock.advance("30s");
    await page.shows("1,2");
    expect(creates()).toBe(1);
    expect(sent).not.toContain("cancelQueryRun");
  });

  it("runs the statement anew if the rows of the run have expired", async () => {
    const { page: opened, Rows, creates, mock, serve } = openNumbers();
    using page = opened;
    page.render(<Rows {...query} />);
    await page.shows("3,1,2");
    mock.clock.advance("300h");
    serve(5, 4);
    page.render(<Rows {...query} sortBy={[{ column: "n", direction: "asc" }]} />);
    await page.shows("4,5");
    expect(creates()).toBe(2);
  });

  it("has the same cache entry with another maxAgeMinutes or resultTTLHours", async () => {
    const { page: opened, Rows, creates, requests } = openNumbers();
    using page = opened;
    page.render(<Rows {...query} />);
    await page.shows("3,1,2");
    const before = requests();
    page.render(<Rows {...query} maxAgeMinutes={120} resultTTLHours={2} />);
    await page.shows("3,1,2");
    expect(page.queryClient.getQueryCache().getAll()).toHaveLength(1);
    expect([requests(), creates()]).toEqual([before, 1]);
  });

  it("may be the pages of the run", async () => {
    const { page: opened, Rows, creates } = openNumbers();
    function Pages() {
      const { data } = useInfiniteResults<{ n: number }>({ ...query, pageSize: 2 });
      return <p>{data?.pages.flatMap(({ rows }) => rows.map(({ n }) => n)).join()}</p>;
    }
    using page = opened;
    page.render([<Rows key="rows" {...query} />, <Pages key="pages" />]);
    await page.shows("3,1,23,1");
    expect(creates()).toBe(1);
  });
});
