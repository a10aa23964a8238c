import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createClient, query, resumeQuery, rowsOf } from "../../src/index.ts";
import { numbers } from "../support/finished-query.ts";
import { type Answer, type Exchange, each, error, patience, startServer } from "../support/scripted-server.ts";
import { service } from "../support/scripted-service.ts";

it("sends the request of the next page before it returns the rows of this one, also if the caller blocks the event loop", async () => {
  const asked = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(new URL("../support/counting-server.ts", import.meta.url), { workerData: asked });
  try {
    const [port] = await once(server, "message");
    const client = createClient({ url: `http://127.0.0.1:${port}`, apiKey: "k" });
    const result = await resumeQuery(client, "a", { pageSize: 10 });
    let rows = 0;
    let askedEarly = 0;
    for await (const _row of rowsOf(result)) {
      rows += 1;
      // Blocks this thread, so that requests in its queue cannot be sent.
      if (rows === 1 && Atomics.load(asked, 0) === 1) Atomics.wait(asked, 0, 1, 5000);
      if (rows === 1) askedEarly = Atomics.load(asked, 0);
    }
    expect(rows).toBe(30);
    expect(askedEarly).toBe(2);
  } finally {
    await server.terminate();
  }
});

/** Opens a result of three pages of ten rows, whose second page the test answers. */
async function openThreePages(second: (exchange: Exchange) => Answer | Promise<Answer>) {
  const answers = service({ polls: 0, rows: numbers(30) });
  const server = await startServer((exchange) => {
    const { number } = (exchange.calls[0]?.params[0].page ?? {}) as { number?: number }; // Our own request.
    return number === 2 ? second(exchange) : answers(exchange);
  });
  const client = createClient({ url: server.url, apiKey: "k" });
  const result = await query(client, { sql: "a", pageSize: 10 });
  const pages = () => server.exchanges.filter(({ calls }) => calls[0]?.method === "getQueryRunResults");
  return { result, pages, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

it("reports the error of the next page after the last row of this one", async () => {
  await using opened = await openThreePages(each(() => error(-32152, "broken")));
  const read: unknown[] = [];
  const reading = (async () => {
    for await (const row of rowsOf(opened.result)) {
      read.push(row);
      // The error has arrived before the second row is read.
      await expect.poll(() => opened.pages()[1]?.answered, patience).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: -32152, queryRunId: "a" });
  expect(read).toEqual(numbers(10).map(([n]) => ({ n })));
});

it.each(["break", "throw", "return", "abort"] as const)("%s cancels the request of the next page", async (ending) => {
  await using opened = await openThreePages(() => new Promise(() => {}));
  const controller = new AbortController();
  const rows = rowsOf(opened.result, { signal: controller.signal });
  const reading = (async () => {
    for await (const _row of rows) {
      await expect.poll(() => opened.pages().length, patience).toBe(2);
      if (ending === "break") break;
      if (ending === "throw") throw new Error("the loop failed");
      if (ending === "return") return;
      controller.abort();
    }
  })();
  if (ending === "throw") await expect(reading).rejects.toThrow("the loop failed");
  else if (ending === "abort") await expect(reading).rejects.toMatchObject({ kind: "aborted" });
  else await reading;
  await expect.poll(() => opened.pages()[1]?.abandoned, patience).toBe(true);
  expect(opened.pages()).toHaveLength(2);
});
