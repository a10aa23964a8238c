// @vitest-environment happy-dom
import { createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { keepPreviousData, onlineManager, QueryClient } from "@tanstack/react-query";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import {
  type QueryResults,
  type ResultsHookOptions,
  serviceKey,
  useInfiniteResults,
  useQueryResults,
} from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

interface Car {
  readonly name: string;
}
const cars = [{ name: "fiat" }, { name: "ford" }];

function openCars(queryClient = new QueryClient()) {
  const service = createService();
  const { mock, client } = service;
  const stub = mock.when("select cars");
  stub.after("30s").rows(cars);
  const page = openPage(client, queryClient);
  let last: ReturnType<typeof useQueryResults<Car>> | undefined;
  const states = new Set<string>();
  function Cars(options: ResultsHookOptions<QueryResults<Car>>) {
    last = useQueryResults<Car>({ sql: "select cars" }, options);
    states.add(last.state);
    return <p>{`${last.state} ${last.data?.rows.length ?? "no"} rows`}</p>;
  }
  const results = () => {
    if (!last) throw new Error("the page has not been rendered");
    return last;
  };
  return { ...service, page, Cars, results, states };
}

describe("useQueryResults", () => {
  it("returns the state, the id and the end of its run", async () => {
    const { page: opened, Cars, results, mock, states } = openCars();
    using page = opened;
    page.render(<Cars />);
    await page.shows("running no rows");
    expect([...states]).toEqual(["queued", "running"]);
    expect(results().queryRunId).toMatch(/./);
    expect(results().asOf).toBeUndefined();
    mock.clock.advance("30s");
    await page.shows("success 2 rows");
    const { queryRunId, asOf } = results();
    expect(queryRunId).toBe(results().data?.queryRunId);
    expect(asOf).toBe(results().data?.asOf);
    expect(new Date(asOf ?? "").toISOString()).toBe(asOf);
  });

  it.each([
    ["cancel()", ({ results }: ReturnType<typeof openCars>) => results().cancel()],
    [
      "cancelQueries",
      ({ page, client }: ReturnType<typeof openCars>) =>
        page.queryClient.cancelQueries({ queryKey: serviceKey(client) }),
    ],
  ])("is canceled by %s, withdraws the run, and runs again on refresh()", async (_, cancel) => {
    const test = openCars();
    using page = test.page;
    page.render(<test.Cars />);
    await page.shows("running no rows");
    await cancel(test);
    await page.shows("canceled no rows");
    await vi.waitFor(() => expect(test.sent).toContain("cancelQueryRun"), patience);
    void test.results().refresh();
    await page.shows("running no rows");
    test.mock.clock.advance("30s");
    await page.shows("success 2 rows");
    void test.results().refresh();
    await page.shows("running 2 rows");
    await cancel(test);
    await page.shows("canceled 2 rows");
  });

  it("is paused while the browser is offline, and then runs once", async () => {
    const { page: opened, Cars, mock, created } = openCars();
    using page = opened;
    onlineManager.setOnline(false);
    onTestFinished(() => onlineManager.setOnline(true));
    page.render(<Cars />);
    await page.shows("paused no rows");
    onlineManager.setOnline(true);
    await page.shows("running no rows");
    mock.clock.advance("30s");
    await page.shows("success 2 rows");
    expect(created).toHaveLength(1);
  });

  it("returns the reason for missing rows", async () => {
    const { page: opened, Cars, mock } = openCars();
    mock.when("select cars").fails({ errorName: "BinderError", errorMessage: "no column x" });
    using page = opened;
    page.render(<Cars />);
    await page.shows("error no rows");
  });

  it("takes options of TanStack Query", async () => {
    const { page: opened, Cars, results, mock, created } = openCars();
    using page = opened;
    page.render(<Cars enabled={false} />);
    await page.shows("idle no rows");
    void results().refresh();
    await page.shows("running no rows");
    mock.clock.advance("30s");
    await page.shows("success 2 rows");
    function Count() {
      return (
        <p>{useQueryResults({ sql: "select cars" }, { enabled: false, select: ({ rows }) => rows.length }).data}</p>
      );
    }
    page.render(<Count />);
    await page.shows("2");
    expect(created).toHaveLength(1);
  });

  it("applies the defaults of the QueryClient, and overrides them by its arguments", async () => {
    const defaults = {
      staleTime: 1,
      gcTime: 2,
      retry: 3,
      refetchOnWindowFocus: "always",
      refetchOnReconnect: true,
      structuralSharing: false,
      placeholderData: () => undefined,
    } as const;
    const queryFn = () => Promise.reject(new Error("of other queries"));
    const queryClient = new QueryClient({ defaultOptions: { queries: { ...defaults, queryFn } } });
    const { page: opened, client } = openCars(queryClient);
    using page = opened;
    function Both() {
      useQueryResults({ sql: "one", maxAgeMinutes: 60, resultTTLHours: 1 });
      useQueryResults({ sql: "two" }, { retry: 1, gcTime: 5 });
      useInfiniteResults({ sql: "three" });
      return null;
    }
    page.render(<Both />);
    const optionsOf = (sql: string) =>
      queryClient.getQueryCache().findAll({ queryKey: [...serviceKey(client), "query", { sql }] })[0]?.observers[0]
        ?.options;
    await vi.waitFor(() => expect(optionsOf("three")).toBeDefined(), patience);
    expect(optionsOf("one")).toMatchObject(defaults);
    expect(optionsOf("two")).toMatchObject({ ...defaults, retry: 1, gcTime: 5 });
    expect(optionsOf("three")).toMatchObject(defaults);
    expect(optionsOf("one")?.queryFn).not.toBe(queryFn);
  });

  it("resumes its run by id when the service is reachable again", async () => {
    const mock = createMockServer();
    mock.when("select cars").after("30s").rows(cars);
    const cuts: (() => void)[] = [];
    let isReached = true;
    let creates = 0;
    const fetch: typeof mock.fetch = (input, init) =>
      new Promise((resolve, reject) => {
        const cut = () => reject(new TypeError("no answer"));
        if (!isReached) return cut();
        cuts.push(cut);
        creates += Number(String(init?.body).includes("createQueryRun"));
        mock.fetch(input, init).then(resolve, reject);
      });
    // Time without an answer after which the run counts as unreachable.
    const client = createClient({ ...mock, fetch, retries: 0, outageTimeoutMs: 1 });
    using page = openPage(client);
    function Cars() {
      const { state, data, error } = useQueryResults({ sql: "select cars" });
      return <p>{`${state} ${error?.kind ?? data?.rows.length ?? "no rows"}`}</p>;
    }
    page.render(<Cars />);
    await page.shows("running no rows");
    isReached = false;
    for (const cut of cuts) cut();
    await page.shows("error network");
    isReached = true;
    mock.clock.advance("30s");
    window.dispatchEvent(new Event("offline"));
    window.dispatchEvent(new Event("online"));
    await page.shows("success 2");
    expect(creates).toBe(1);
  });

  it("refuses a result above maxRows before its rows are read", async () => {
    const { page: opened, mock } = openCars();
    mock.when("select many").rows(Array.from({ length: 3 }, (_, n) => ({ n })));
    function Many() {
      const { error } = useQueryResults({ sql: "select many", maxRows: 2 });
      return <p>{error?.message}</p>;
    }
    using page = opened;
    page.render(<Many />);
    await page.shows(
      "Result too large for maxRows 2: it has 3 rows; limit the statement, read single pages, or raise maxRows",
    );
  });
});

describe("the handle of a run", () => {
  it("has the members of TanStack Query's result beside its own", async () => {
    const { page: opened, Cars, results, mock } = openCars();
    using page = opened;
    page.render(<Cars />);
    await page.shows("running no rows");
    mock.clock.advance("30s");
    await page.shows("success 2 rows");
    const names = Object.keys(results());
    for (const name of ["data", "status", "error", "isFetching", "dataUpdatedAt", "refetch", "queryRunId", "state"])
      expect(names).toContain(name);
    expect(names).toEqual(expect.arrayContaining(["asOf", "cancel", "refresh"]));
    expect(results()).toMatchObject({ status: "success", error: null, isFetching: false });
  });

  it("reads while the rows of its ended run are on their way", async () => {
    const { page: opened, Cars, mock, states } = openCars();
    mock.fault("getQueryRunResults", { delay: "10s" });
    using page = opened;
    page.render(<Cars />);
    await page.shows("running no rows");
    mock.clock.advance("30s");
    await page.shows("reading no rows");
    mock.clock.advance("10s");
    await page.shows("success 2 rows");
    expect([...states]).toEqual(["queued", "running", "reading", "success"]);
  });

  it("keeps the run of the rows that are shown until those of another statement come", async () => {
    const { client, mock } = createService();
    mock.when("select a").rows([{ n: 1 }]);
    mock
      .when("select b")
      .rows([{ n: 2 }])
      .after("30s");
    using page = openPage(client);
    let last: ReturnType<typeof useQueryResults<Car>> | undefined;
    function Rows({ sql }: { readonly sql: string }) {
      last = useQueryResults<Car>({ sql }, { placeholderData: keepPreviousData });
      return (
        <p>{`${last.state} ${last.queryRunId} ${last.data?.queryRunId ?? "no rows"} ${last.asOf !== undefined}`}</p>
      );
    }
    page.render(<Rows sql="select a" />);
    await page.shows("success run_1 run_1 true");
    const asOf = last?.asOf;
    page.render(<Rows sql="select b" />);
    await page.shows("running run_1 run_1 true");
    expect(last?.asOf).toBe(asOf);
    mock.clock.advance("30s");
    await page.shows("success run_2 run_2 true");
    expect(last?.asOf).not.toBe(asOf);
  });

  it("stays idle, without a run, if a query that is disabled is canceled", async () => {
    const { page: opened, Cars, results, created } = openCars();
    using page = opened;
    page.render(<Cars enabled={false} />);
    await page.shows("idle no rows");
    await results().cancel();
    await page.shows("idle no rows");
    expect([results().queryRunId, results().asOf, created.length]).toEqual([undefined, undefined, 0]);
  });
});
