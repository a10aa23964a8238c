import { type Client, createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";
import { QuernProvider } from "../../src/index.ts";

/** A mock service, and the methods that were sent to it. */
export function createService() {
  const mock = createMockServer();
  const sent: string[] = [];
  const client = createClient({
    ...mock,
    interceptors: [
      (request, next) => {
        sent.push(request.methods.join(" "));
        return next(request);
      },
    ],
  });
  return { mock, client, sent };
}

/** A loaded machine takes its time. */
export const patience = { timeout: 5000, interval: 5 };

/** Renders into a page, under both providers. */
export function openPage(client: Client, queryClient = new QueryClient()) {
  const container = document.createElement("div");
  const root = createRoot(container);
  return {
    queryClient,
    render(children: ReactNode, { strict = false } = {}) {
      const page = (
        <QueryClientProvider client={queryClient}>
          <QuernProvider client={client}>{children}</QuernProvider>
        </QueryClientProvider>
      );
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
