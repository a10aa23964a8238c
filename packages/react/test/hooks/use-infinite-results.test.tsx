// @vitest-environment happy-dom
import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import { infiniteResultsOptions, useInfiniteResults } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

describe("useInfiniteResults", () => {
  it("reads the pages of one run up to the last one", async () => {
    const { mock, client, sent } = createService();
    mock.when("select n").rows([{ n: 1 }, { n: 2 }, { n: 3 }]);
    let next = async () => {};
    function Numbers() {
      const results = useInfiniteResults<{ n: number }>({ sql: "select n", pageSize: 2 });
      next = async () => void (await results.fetchNextPage());
      const rows = results.data?.pages.flatMap((page) => page.rows.map(({ n }) => n)) ?? [];
      return <p>{`${rows.join()} ${results.hasNextPage ? "and more" : "of"} ${results.data?.pages[0]?.rowCount}`}</p>;
    }
    using page = openPage(client);
    page.render(<Numbers />);
    await page.shows("1,2 and more 3");
    await next();
    await page.shows("1,2,3 of 3");
    expect(sent.filter((methods) => methods === "createQueryRun")).toHaveLength(1);
    // The first page came with the create.
    expect(sent.filter((methods) => methods === "getQueryRunResults")).toHaveLength(1);
  });
});

describe("pages that are dropped", () => {
  it("are read again from the same run, with no row twice or missing", async () => {
    const { mock, client, created } = createService();
    mock.when("select n").rows(Array.from({ length: 7 }, (_, n) => ({ n })));
    let last: ReturnType<typeof useInfiniteResults<{ n: number }>> | undefined;
    function Numbers() {
      last = useInfiniteResults<{ n: number }>({ sql: "select n", pageSize: 3 }, { maxPages: 2 });
      return <p>{last.data?.pages.flatMap(({ rows }) => rows.map(({ n }) => n)).join()}</p>;
    }
    using page = openPage(client);
    page.render(<Numbers />);
    await page.shows("0,1,2");
    for (const shown of ["0,1,2,3,4,5", "3,4,5,6"]) {
      await last?.fetchNextPage();
      await page.shows(shown);
    }
    expect(last).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    await last?.fetchPreviousPage();
    await page.shows("0,1,2,3,4,5");
    expect(last).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(created).toHaveLength(1);
  });
});

describe("infiniteResultsOptions", () => {
  const rowsFrom = (first: number) => [0, 1, 2, 3].map((more) => ({ n: first + more }));

  it("run the query anew for a refetch, whatever pages are cached", async () => {
    const { mock, client, created } = createService();
    mock.when("select n").rows(rowsFrom(1));
    const pages = new InfiniteQueryObserver(new QueryClient(), {
      ...infiniteResultsOptions<{ n: number }>(client, { sql: "select n", pageSize: 1 }),
      maxPages: 2,
    });
    const shown = () => pages.getCurrentResult().data?.pages.flatMap(({ rows }) => rows.map(({ n }) => n));
    for (const read of [pages.refetch, pages.fetchNextPage, pages.fetchNextPage]) await read();
    expect(shown()).toEqual([2, 3]);
    mock.when("select n").rows(rowsFrom(11));
    for (const again of [2, 3]) {
      await pages.refetch();
      expect(shown()).toEqual([12, 13]);
      expect(created).toHaveLength(again);
    }
    await pages.fetchPreviousPage();
    expect(shown()).toEqual([11, 12]);
    expect(created).toHaveLength(3);
  });

  it("show the first page of a new result that ends before the first cached page", async () => {
    const { mock, client } = createService();
    mock.when("select n").rows(rowsFrom(1));
    const pages = new InfiniteQueryObserver(new QueryClient(), {
      ...infiniteResultsOptions<{ n: number }>(client, { sql: "select n", pageSize: 1 }),
      maxPages: 1,
    });
    const shown = () => pages.getCurrentResult().data?.pages.flatMap(({ rows }) => rows.map(({ n }) => n));
    for (const read of [pages.refetch, pages.fetchNextPage]) await read();
    expect(shown()).toEqual([2]);
    mock.when("select n").rows([{ n: 11 }]);
    await pages.refetch();
    expect(shown()).toEqual([11]);
  });

  it("run the query anew if its run has expired between two pages", async () => {
    const { mock, client, created } = createService();
    mock.when("select n").rows(rowsFrom(1));
    const options = infiniteResultsOptions<{ n: number }>(client, { sql: "select n", pageSize: 2 });
    const queryClient = new QueryClient();
    const pages = new InfiniteQueryObserver(queryClient, options);
    await pages.refetch();
    mock.clock.advance("300h");
    const refused = await pages.fetchNextPage();
    expect(refused.error).toBeNull();
    expect(refused.data?.pages.map(({ rows }) => rows.length)).toEqual([2]);
    await vi.waitFor(() => expect(created).toHaveLength(2), patience);
    await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0), patience);
    expect((await pages.fetchNextPage()).data?.pages.map(({ rows }) => rows.length)).toEqual([2, 2]);
    expect(created).toHaveLength(2);
  });
});
