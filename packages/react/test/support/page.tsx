import type { Client } from "@quern/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";
import { patience } from "../../../query-options/test/support/service.ts";
import { QuernProvider } from "../../src/index.ts";

export function underProviders(client: Client, queryClient: QueryClient, children: ReactNode) {
  return (
    <QueryClientProvider client={queryClient}>
      <QuernProvider client={client}>{children}</QuernProvider>
    </QueryClientProvider>
  );
}

/** Renders into a page, under both providers. */
export function openPage(client: Client, queryClient = new QueryClient()) {
  const container = document.createElement("div");
  const root = createRoot(container);
  return {
    queryClient,
    render(children: ReactNode, { strict = false } = {}) {
      const page = underProviders(client, queryClient, children);
      root.render(strict ? <StrictMode>{page}</StrictMode> : page);
    },
    /** Waits until the page says this. */
    shows: (text: string) =>
      vi.waitFor(() => {
        if (container.textContent !== text) throw new Error(`the page shows ${container.textContent}, not ${text}`);
      }, patience),
    [Symbol.dispose]: () => root.unmount(),
  };
}
