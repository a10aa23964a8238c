// @vitest-environment happy-dom
import { createClient, type RowSchema } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import {
  type DehydratedState,
  dehydrate,
  HydrationBoundary,
  hashKey,
  QueryClient,
  useQueries,
  useQuery,
  useSuspenseQueries,
} from "@tanstack/react-query";
import { Profiler, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { describe, expect, it, vi } from "vitest";
import { fiftyPanels } from "../../../query-options/test/support/fifty-panels.ts";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import {
  queryResultsOptions,
  type RowsQuery,
  serviceKey,
  useClient,
  useInfiniteResults,
  useQueryResults,
} from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

function Names({ sql, maxAgeMinutes }: { sql: string; maxAgeMinutes?: number }) {
  const { data, error } = useQueryResults<{ name: string }>({ sql, maxAgeMinutes });
  return <p>{error ? `${error.kind}: ${error.message}` : (data?.rows.map(({ name }) => name).join() ?? "…")}</p>;
}

const useAllRows = (query: RowsQuery<number>) => useQueryResults(query).data?.rows;
const useFirstRows = (query: RowsQuery<number>) => useInfiniteResults(query).data?.pages[0]?.rows;

const cars = [{ name: "fiat" }, { name: "ford" }];

describe("useQueryResults", () => {
  it("returns the rows of a query", async () => {
    const { mock, client } = createService();
    mock.when("select name from cars").rows(cars);
    using page = openPage(client);
    page.render(<Names sql="select name from cars" />);
    await page.shows("fiat,ford");
  });

  it("works over a real connection", async () => {
    const mock = createMockServer();
    mock.when("select name from cars").rows(cars);
    await using listening = await listen(mock);
    using page = openPage(createClient({ url: listening.url, apiKey: mock.apiKey }));
    page.render(<Names sql="select name from cars" />);
    await page.shows("fiat,ford");
  });

  it("returns the reason of a failed run without a retry", async () => {
    const { mock, client, sent } = createService();
    mock.when("select").fails({ errorName: "BinderError", errorMessage: "no column x" });
    using page = openPage(client);
    page.render(<Names sql="select" />);
    await page.shows("failed: no column x");
    expect(sent.filter((methods) => methods === "createQueryRun")).toHaveLength(1);
  });

  it("creates one run for a StrictMode mount", async () => {
    const { mock, client, sent } = createService();
    mock.when("select name from cars").rows(cars);
    using page = openPage(client);
    page.render(<Names sql="select name from cars" />, { strict: true });
    await page.shows("fiat,ford");
    expect(sent.filter((methods) => methods.includes("createQueryRun"))).toEqual(["createQueryRun"]);
  });

  it.each([useAllRows, useFirstRows])(
    "sends one request for a schema that is made in each render, and warns",
    async (useRows) => {
      const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
      const { mock, client, created } = createService();
      mock.when("select 1").rows([{ n: 1 }]);
      function Multiplied({ by, schemaKey }: { by: number; schemaKey?: string }) {
        const validate = (row: unknown) => ({ value: (row as { n: number }).n * by }); // The rows of this test.
        return <p>{useRows({ sql: "select 1", schema: { "~standard": { validate } }, schemaKey })?.join() ?? "…"}</p>;
      }
      using page = openPage(client);
      for (let render = 0; render < 3; render += 1) {
        page.render(<Multiplied by={10} />);
        await page.shows("10");
      }
      expect(created).toEqual(["select 1"]);
      expect(warn).toHaveBeenCalledExactlyOnceWith(
        expect.stringMatching(/^Unstable schema of the query "select 1": .*outside components.* by schemaKey$/),
      );
      warn.mockRestore();
    },
  );

  it.each([useAllRows, useFirstRows])(
    "applies another schema with its key to the rows of the same run, in one render, without a warning",
    async (useRows) => {
      const warn = vi.spyOn(console, "warn");
      const { mock, client, created } = createService();
      mock.when("select 1").rows([{ n: 1 }]);
      const times = (by: number): RowSchema<number> => ({
        "~standard": { validate: (row) => ({ value: (row as { n: number }).n * by }) }, // The rows of this test.
      });
      const schemas = { ten: times(10), hundred: times(100) };
      const renders = vi.fn();
      function Multiplied({ by }: { by: keyof typeof schemas }) {
        renders();
        const rows = useRows({ sql: "select 1", maxAgeMinutes: 60, schema: schemas[by], schemaKey: by });
        return <p>{rows?.join() ?? "…"}</p>;
      }
      using page = openPage(client);
      for (const [by, text] of [
        ["ten", "10"],
        ["hundred", "100"],
      ] as const) {
        page.render(<Multiplied by={by} />);
        await page.shows(text);
      }
      const before = renders.mock.calls.length;
      page.render(<Multiplied by="ten" />);
      await page.shows("10");
      expect(renders).toHaveBeenCalledTimes(before + 1);
      expect(created).toEqual(["select 1"]);
      expect(warn).not.toHaveBeenCalled();
      warn.mockRestore();
    },
  );

  it("withdraws the request when its last component unmounts", async () => {
    const { mock, client, sent } = createService();
    mock.when("select slow").after("30s").rows(cars);
    using page = openPage(client);
    page.render([<Names key="one" sql="select slow" />, <Names key="two" sql="select slow" />]);
    await vi.waitFor(() => expect(sent).toContain("getQueryRun"), patience);
    page.render(<Names key="one" sql="select slow" />);
    expect(sent).not.toContain("cancelQueryRun");
    page.render(null);
    await vi.waitFor(() => expect(sent).toContain("cancelQueryRun"), patience);
  });

  it("keeps the data of the same run without comparing its rows", async () => {
    const { mock, client } = createService();
    mock.when("select name from cars").rows(cars);
    // Structural comparison never finds two of these equal.
    const schema = { "~standard": { validate: () => ({ value: Symbol("row") }) } };
    const options = queryResultsOptions(client, { sql: "select name from cars", maxAgeMinutes: 60, schema });
    const queryClient = new QueryClient();
    const read = async () => {
      await queryClient.fetchQuery({ ...options, staleTime: 0 });
      return queryClient.getQueryData(options.queryKey);
    };
    const before = await read();
    expect(before?.rows).toHaveLength(2);
    expect(await read()).toBe(before);
  });

  it("returns selected data of another run", async () => {
    const { mock, client } = createService();
    mock.when("select name from cars").rows(cars);
    function Count() {
      const options = queryResultsOptions(useClient(), { sql: "select name from cars" });
      return <p>{useQuery({ ...options, select: ({ rows }) => rows.length }).data}</p>;
    }
    using page = openPage(client);
    page.render(<Count />);
    await page.shows("2");
    mock.when("select name from cars").rows([]);
    await page.queryClient.refetchQueries({ queryKey: serviceKey(client) });
    await page.shows("0");
  });

  it("sends fifty panels as a few requests, and renders each panel twice", async () => {
    const { mock, client, sent } = createService();
    mock.when(/cars/).rows(cars);
    const renders = vi.fn();
    using page = openPage(client);
    const panels = fiftyPanels.statements.map((sql) => (
      <Profiler key={sql} id={sql} onRender={renders}>
        <Names sql={sql} />
      </Profiler>
    ));
    page.render(panels);
    await page.shows("fiat,ford".repeat(50));
    expect(sent).toHaveLength(fiftyPanels.requests);
    expect(renders.mock.calls.length).toBe(fiftyPanels.renders);
  });
});

describe("queryResultsOptions", () => {
  it("derive staleTime from maxAgeMinutes and gcTime from resultTTLHours", () => {
    const { client } = createService();
    const options = queryResultsOptions(client, { sql: "a", maxAgeMinutes: 10, resultTTLHours: 2 });
    expect(options).toMatchObject({ staleTime: 600_000, gcTime: 7_200_000, retry: false });
    const untold = queryResultsOptions(client, { sql: "a" });
    expect(untold).toMatchObject({ refetchOnWindowFocus: false, retry: false });
    for (const name of ["staleTime", "gcTime"]) expect(untold).not.toHaveProperty(name);
    expect(queryResultsOptions(client, { sql: "a", resultTTLHours: 720 }).gcTime).toBe(2 ** 31 - 1);
    expect(options.queryKey).toEqual(["quern", client.url, "", "query", { sql: "a" }, "results", {}]);
  });

  it("have a key of their own for each cache scope", () => {
    const { mock } = createService();
    const keyOf = (cacheScope?: string) =>
      queryResultsOptions(createClient({ ...mock, cacheScope }), { sql: "a" }).queryKey;
    expect(new Set([keyOf(), keyOf("ann"), keyOf("bob")].map(hashKey)).size).toBe(3);
    expect(keyOf("ann")).toEqual(keyOf("ann"));
  });

  it("prefetch on a server and hydrate in the page without a request", async () => {
    const { mock, client, sent } = createService();
    mock.when("select name from cars").rows(cars);
    const onServer = new QueryClient();
    const request = { sql: "select name from cars", maxAgeMinutes: 60 };
    await onServer.prefetchQuery(queryResultsOptions(client, request));
    const state: DehydratedState = JSON.parse(JSON.stringify(dehydrate(onServer)));
    const asked = sent.length;
    using page = openPage(client);
    page.render(
      <HydrationBoundary state={state}>
        <Names {...request} />
      </HydrationBoundary>,
    );
    await page.shows("fiat,ford");
    expect(sent).toHaveLength(asked);
  });

  it("suspend together, without a waterfall", async () => {
    const { mock, client, sent } = createService();
    mock.when(/cars/).rows(cars);
    function Counts() {
      const quern = useClient();
      const statements = ["select 1 from cars", "select 2 from cars"];
      const queries = statements.map((sql) => queryResultsOptions(quern, { sql, maxAgeMinutes: 60 }));
      return <p>{useSuspenseQueries({ queries }).map(({ data }) => data.rows.length)}</p>;
    }
    using page = openPage(client);
    page.render(
      <Suspense fallback="waiting">
        <Counts />
      </Suspense>,
    );
    await page.shows("waiting");
    await page.shows("22");
    expect(sent[0]).toBe("createQueryRun createQueryRun");
  });

  it("work in useQueries", async () => {
    const { mock, client } = createService();
    mock.when(/cars/).rows(cars);
    function Counts() {
      const quern = useClient();
      const queries = ["select 1 from cars", "select 2 from cars"].map((sql) => queryResultsOptions(quern, { sql }));
      return (
        <p>
          {useQueries({ queries })
            .map(({ data }) => data?.rows.length ?? 0)
            .join()}
        </p>
      );
    }
    using page = openPage(client);
    page.render(<Counts />);
    await page.shows("2,2");
  });
});

describe("useClient", () => {
  it("names the missing provider", async () => {
    const errors: unknown[] = [];
    const root = createRoot(document.createElement("div"), { onUncaughtError: (error) => errors.push(error) });
    function Lost() {
      return <p>{useClient().url}</p>;
    }
    root.render(<Lost />);
    await vi.waitFor(
      () => expect(String(errors[0])).toBe("Error: useClient: no QuernProvider above; add one"),
      patience,
    );
  });
});
