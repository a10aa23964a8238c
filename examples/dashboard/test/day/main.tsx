import { createClient, type PageFilter, type SortBy } from "@quern/client";
import { QuernProvider, useInfiniteResults } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

const sql = new URLSearchParams(window.location.search).get("sql") ?? "";
const client = createClient({ url: window.location.origin });

/** List that fetches the next page when its end is scrolled into view. */
function Numbers() {
  const [sortBy, setSortBy] = useState<readonly SortBy[]>();
  const [filters, setFilters] = useState<readonly PageFilter[]>();
  const request = { sql, maxAgeMinutes: 60, pageSize: 1000, sortBy, filters };
  const results = useInfiniteResults<{ n: number; k: number }>(request);
  const { data, error, state, asOf, isPlaceholderData, hasNextPage, fetchNextPage, refresh } = results;
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting) && hasNextPage) void fetchNextPage();
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  });
  return (
    <>
      <button type="button" onClick={() => setSortBy([{ column: "n", direction: "desc" }])}>
        Sort
      </button>
      <button type="button" onClick={() => setFilters([{ column: "k", eq: 3 }])}>
        Filter
      </button>
      <button type="button" onClick={() => void refresh()}>
        Refresh
      </button>
      <p id="state" data-as-of={asOf} data-old={isPlaceholderData}>
        {error ? `${state}: ${error.message}` : state}
      </p>
      <ol>
        {data?.pages.flatMap(({ rows, offset }) => rows.map(({ n }, index) => <li key={offset + index}>{n}</li>))}
      </ol>
      <p ref={end}>{hasNextPage ? "more" : "end"}</p>
    </>
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <QueryClientProvider client={new QueryClient()}>
    <QuernProvider client={client}>
      <Numbers />
    </QuernProvider>
  </QueryClientProvider>,
);
