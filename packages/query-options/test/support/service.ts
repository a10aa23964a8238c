import { createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";

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

/** A client whose run stays queued until its first poll is given up, and then executes. `polled` is called by each poll. */
export function createQueuedRun(polled: () => void) {
  let state = "QUERY_STATE_READY";
  return createClient({
    url: "http://service.example",
    apiKey: "k",
    fetch: async (_, { body, signal }) => {
      const { id, method } = JSON.parse(body);
      if (method === "getQueryRun") {
        polled();
        if (state === "QUERY_STATE_READY") await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        state = "QUERY_STATE_RUNNING";
        signal?.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const result = {
        queryRequest: { id: "request", queryRunId: "run", triggeredQueryRun: true },
        queryRun: { id: "run", state },
      };
      const text = JSON.stringify({ jsonrpc: "2.0", id, result });
      return { status: 200, headers: new Headers(), text: async () => text };
    },
  });
}
