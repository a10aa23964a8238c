// @vitest-environment happy-dom
import { QueryClient, useQuery } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { createService } from "../../query-options/test/support/service.ts";
import { queryResultsOptions, useClient } from "../src/index.ts";
import { openPage } from "./support/page.tsx";

const query = { sql: "select name, origin from cars", maxAgeMinutes: 60 };

function openCars() {
  const { mock, client } = createService();
  mock.when(query.sql).rows([
    { name: "fiat", origin: "Europe" },
    { name: "ford", origin: "USA" },
  ]);
  return client;
}

it("shows what is selected by what the page says now, also where that names the run", async () => {
  function Cars({ of }: { of: string }) {
    const { data } = useQuery({
      ...queryResultsOptions(useClient(), query),
      select: (results) => ({ ...results, rows: results.rows.filter(({ origin }) => origin === of) }),
    });
    return <p>{data?.rows.map(({ name }) => String(name))}</p>;
  }
  using page = openPage(openCars());
  page.render(<Cars of="Europe" />);
  await page.shows("fiat");
  page.render(<Cars of="USA" />);
  await page.shows("ford");
});

it("keeps what is selected as long as it is equal, as elsewhere in TanStack Query", async () => {
  const selected = new Set();
  function Names({ children }: { children: string }) {
    const select = ({ rows }: { rows: readonly object[] }) => rows.map((row) => Object.values(row).join(" "));
    const { data } = useQuery({ ...queryResultsOptions(useClient(), query), select });
    if (data) selected.add(data);
    return <p>{data && children}</p>;
  }
  using page = openPage(openCars());
  for (const text of ["one", "two"]) {
    page.render(<Names>{text}</Names>);
    await page.shows(text);
  }
  expect(selected.size).toBe(1);
});

it("takes what is put in the place of a result, and lets the next reading correct it", async () => {
  const options = queryResultsOptions(openCars(), query);
  const queryClient = new QueryClient();
  const read = await queryClient.fetchQuery(options);
  queryClient.setQueryData(options.queryKey, { ...read, rows: [] });
  expect(queryClient.getQueryData(options.queryKey)?.rows).toEqual([]);
  await queryClient.fetchQuery({ ...options, staleTime: 0 });
  expect(queryClient.getQueryData(options.queryKey)).toEqual(read);
});
