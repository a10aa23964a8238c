// Writes a page as a server that renders React Server Components sends it.
import { infiniteResultsOptions, queryResultsOptions } from "@quern/react";
import { dehydrate, QueryClient } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToPipeableStream } from "react-server-dom-webpack/server";
import { Page } from "./page.mjs";
import { createSender, filtered, parsedViews, plainViews, whole } from "./values.mjs";

const client = createSender();
const queryClient = new QueryClient({ defaultOptions: { dehydrate: { shouldDehydrateQuery: () => true } } });
const requests = { whole, filtered };
// The page receives the rows of the last view later than its state.
for (const { request } of plainViews(requests)) {
  await queryClient.prefetchQuery(queryResultsOptions(client, request));
  await queryClient.prefetchInfiniteQuery(infiniteResultsOptions(client, request));
}
for (const { request } of parsedViews(requests)) {
  await queryClient.prefetchInfiniteQuery(infiniteResultsOptions(client, request));
  void queryClient.prefetchQuery(queryResultsOptions(client, request));
}

const id = Page.$$id;
const page = createElement(Page, { requests, state: dehydrate(queryClient) });
renderToPipeableStream(page, { [id]: { id, chunks: [], name: "Page" } }).pipe(process.stdout);
