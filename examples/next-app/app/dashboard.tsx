"use client";

import { createClient } from "@quern/client";
import { QuernDashboard, QuernProvider, useQueryResults } from "@quern/react";
import { type DehydratedState, HydrationBoundary, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { type Panel, panels } from "./panels";

function Rows({ title, query }: Panel) {
  const { data, error, isLoading } = useQueryResults(query);
  return (
    <section aria-busy={isLoading}>
      <h2>{title}</h2>
      <p>{error?.message}</p>
      <ol>
        {data?.rows.map((row, index) => (
          <li key={index}>{data.rowKeys.map((key) => String(row[key])).join(": ")}</li>
        ))}
      </ol>
    </section>
  );
}

export function Dashboard({ url, user, state }: { url: string; user: string; state: DehydratedState }) {
  const [queryClient] = useState(() => new QueryClient());
  const [client] = useState(() => createClient({ url, cacheScope: user }));
  return (
    <QueryClientProvider client={queryClient}>
      <HydrationBoundary state={state}>
        <QuernProvider client={client}>
          <QuernDashboard>
            {panels.map((panel) => (
              <Rows key={panel.title} {...panel} />
            ))}
          </QuernDashboard>
        </QuernProvider>
      </HydrationBoundary>
    </QueryClientProvider>
  );
}
