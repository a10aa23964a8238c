// @vitest-environment happy-dom
import {
  type DehydratedState,
  dehydrate,
  HydrationBoundary,
  QueryClient,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { Suspense } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { createService, patience } from "../../query-options/test/support/service.ts";
import { queryResultsOptions, useClient } from "../src/index.ts";
import { underProviders } from "./support/page.tsx";

const query = { sql: "select name from cars", maxAgeMinutes: 60 };

function Names() {
  const { data } = useSuspenseQuery(queryResultsOptions<{ name: string }>(useClient(), query));
  return <p>{data.rows.map(({ name }) => name).join()}</p>;
}

const hydrated = vi.fn();
const page = (state: DehydratedState) => (
  <HydrationBoundary state={state}>
    <i ref={hydrated} />
    <Suspense fallback="waiting">
      <Names />
    </Suspense>
  </HydrationBoundary>
);

it("renders on a server and goes on in the page without a request and without a difference", async () => {
  const { mock, client, sent } = createService();
  mock.when("select name from cars").rows([{ name: "fiat" }, { name: "ford" }]);
  const onServer = new QueryClient();
  await onServer.prefetchQuery(queryResultsOptions(client, query));
  const asked = sent.length;
  const html = renderToString(underProviders(client, onServer, page(dehydrate(onServer))));
  expect(html).toContain("fiat,ford");

  const container = document.createElement("div");
  container.innerHTML = html;
  const state: DehydratedState = JSON.parse(JSON.stringify(dehydrate(onServer)));
  const differences: unknown[] = [];
  const root = hydrateRoot(container, underProviders(client, new QueryClient(), page(state)), {
    onRecoverableError: (error) => differences.push(error),
  });
  await vi.waitFor(() => expect(hydrated).toHaveBeenCalled(), patience);
  expect(container.textContent).toBe("fiat,ford");
  expect(differences).toEqual([]);
  expect(sent).toHaveLength(asked);
  root.unmount();
});
