import { type Client, createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";
import { QuernProvider } from "../../src/index.ts";

/** A mock service, the methods that were sent to it in each request, and the statements it has created runs of. */
export function createService() {
  const mock = createMockServer();
  const sent: string[] = [];
  const created: string[] = [];
  const client = createClient({
    ...mock,
    interceptors: [
      async (request, next) => {
        sent.push(request.methods.join(" "));
        const reply = await next(request);
        for (const { method, params } of [JSON.parse(request.body)].flat()) {
          if (method === "createQueryRun") created.push(params[0].sql);
        }
        return reply;
      },
    ],
  });
  return { mock, client, sent, created };
}

/** A loaded machine takes its time. */
export const patience = { timeout: 5000, interval: 5 };

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
