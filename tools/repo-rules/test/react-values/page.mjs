"use client";

import { deepStrictEqual } from "node:assert";
import { infiniteResultsOptions, queryResultsOptions } from "@quern/react";
import {
  HydrationBoundary,
  QueryClient,
  QueryClientProvider,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { createElement } from "react";
import { createSilent, filtered, parsedViews, plainViews, whole } from "./values.mjs";

const client = createSilent();
const queryClient = new QueryClient();

/** Shows that the rows have arrived as they are. */
function Panel({ request, rows }) {
  const { data: results } = useSuspenseQuery(queryResultsOptions(client, request));
  const { data: infinite } = useSuspenseInfiniteQuery(infiniteResultsOptions(client, request));
  deepStrictEqual(results.rows, rows);
  deepStrictEqual(infinite.pages[0].rows, rows);
  return createElement("p", null, "equal");
}

export function Page({ requests, state }) {
  deepStrictEqual(requests, { whole, filtered });
  const views = [...plainViews(requests), ...parsedViews(requests)];
  const panels = views.map((view) => createElement(Panel, view));
  const boundary = createElement(HydrationBoundary, { state }, ...panels);
  return createElement(QueryClientProvider, { client: queryClient }, boundary);
}
