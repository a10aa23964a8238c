import { describe, expect, it, vi } from "vitest";
import { createClient, type Fetch, getQueryRun, query, waitForRun } from "../../src/index.ts";
import { type Exchange, each, patience, startServer } from "../support/scripted-server.ts";
import { methodsOf, service } from "../support/scripted-service.ts";

const running = { queryRun: { id: "a", state: "QUERY_STATE_RUNNING" } };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Service whose runs end when the test says, with long polls. */
function held() {
  const ended = new Set<string>();
  const listeners = new Set<() => void>();
  const answer = async (exchange: Exchange) => {
    const ids = exchange.calls.map(({ params }) => String(params[0].queryRunId));
    const waits = exchange.calls.some(({ params }) => params[0].waitSeconds);
    while (waits && !ids.some((id) => ended.has(id))) await new Promise<void>((resolve) => listeners.add(resolve));
    return each(({ params: [{ queryRunId }] }) => ({
      result: {
        queryRun: { id: queryRunId, state: `QUERY_STATE_${ended.has(String(queryRunId)) ? "SUCCESS" : "RUNNING"}` },
      },
    }))(exchange);
  };
  const end = (id: string) => {
    ended.add(id);
    for (const listener of listeners) listener();
  };
  return { answer, end };
}

describe("waiting", () => {
  it("receives the end immediately from a service with long polls", async () => {
    const { answer, end } = held();
    await using server = await startServer(answer);
    const client = createClient({ url: server.url, apiKey: "k" });
    const states: string[] = [];
    const waiting = waitForRun(client, "a", { onRun: ({ state }) => states.push(state) });
    await pause(400);
    end("a");
    await waiting;
    expect(states).toEqual(["QUERY_STATE_RUNNING", "QUERY_STATE_SUCCESS"]);
    expect(server.exchanges).toHaveLength(2);
  });

  it("polls at intervals without long polls, and less often with many runs", async () => {
    vi.useFakeTimers();
    try {
      const looksAt = async (runs: number) => {
        let polls = 0;
        const fetch: Fetch = async (_url, { body }) => {
          polls += 1;
          const replies = [JSON.parse(body)].flat().map(({ id }) => ({ jsonrpc: "2.0", id, result: running }));
          return new Response(JSON.stringify(replies.length > 1 ? replies : replies[0]));
        };
        const client = createClient({ url: "http://quern.test", apiKey: "k", fetch });
        const leaving = new AbortController();
        const waiting = Array.from({ length: runs }, (_, run) =>
          waitForRun(client, `${run}`, { signal: leaving.signal }),
        );
        const ended = Promise.allSettled(waiting);
        await vi.advanceTimersByTimeAsync(8000);
        leaving.abort();
        await ended;
        return polls;
      };
      const [one, fifty] = [await looksAt(1), await looksAt(50)];
      expect(one).toBeGreaterThanOrEqual(14);
      expect(one).toBeLessThanOrEqual(24);
      expect(fifty).toBeLessThanOrEqual(10);
    } finally {
      vi.useRealTimers();
    }
  });

  it("recovers if a proxy cuts long polls", async () => {
    const { answer } = held();
    let polls = 0;
    await using server = await startServer((exchange) => {
      polls += 1;
      if (exchange.calls[0]?.params[0].waitSeconds) return { status: 504, body: "<html>" };
      return polls < 8 ? answer(exchange) : service({ polls: 1 })(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k", retries: 0 });
    await expect(waitForRun(client, "a")).resolves.toMatchObject({ state: "QUERY_STATE_SUCCESS" });
    expect(polls).toBe(9);
  });

  it.each([-32603, -32029, -32178])("continues after a poll was refused with %i", async (code) => {
    let polls = 0;
    await using server = await startServer((exchange) => {
      polls += 1;
      const { id } = exchange.calls[0] ?? {};
      return polls === 1 ? { body: { id, error: { code, message: "later" } } } : service({ polls: 1 })(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k", retries: 0 });
    await expect(waitForRun(client, "a")).resolves.toMatchObject({ state: "QUERY_STATE_SUCCESS" });
    expect(polls).toBe(2);
  });

  it("continues after a poll was answered by HTTP 500", async () => {
    let polls = 0;
    await using server = await startServer((exchange) => {
      polls += 1;
      return polls === 1 ? { status: 500, body: "" } : service({ polls: 1 })(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k", retries: 0 });
    await expect(waitForRun(client, "a")).resolves.toMatchObject({ state: "QUERY_STATE_SUCCESS" });
    expect(polls).toBe(2);
  });

  it("continues after the clock was set back", async () => {
    vi.useFakeTimers();
    try {
      let polls = 0;
      const fetch: Fetch = async (_url, { body }) => {
        polls += 1;
        vi.setSystemTime(Date.now() - 3_600_000);
        return new Response(JSON.stringify({ id: JSON.parse(body).id, result: running }));
      };
      const leaving = new AbortController();
      const { signal } = leaving;
      const ended = Promise.allSettled([
        waitForRun(createClient({ url: "http://quern.test", apiKey: "k", fetch }), "a", { signal }),
      ]);
      await vi.advanceTimersByTimeAsync(8000);
      leaving.abort();
      await ended;
      expect(polls).toBeGreaterThan(5);
    } finally {
      vi.useRealTimers();
    }
  });

  it("starts no timer in the past", async () => {
    const delays = vi.spyOn(globalThis, "setTimeout");
    await using server = await startServer(service({ polls: 3 }));
    const client = createClient({ url: server.url, apiKey: "k" });
    await Promise.all(Array.from({ length: 20 }, (_, index) => waitForRun(client, `${index}`)));
    const past = delays.mock.calls.filter(([, delay = 0]) => delay < 0);
    delays.mockRestore();
    expect(past).toEqual([]);
  });

  it("uses few connections for many runs, and misses no end", async () => {
    const { answer, end } = held();
    await using server = await startServer(answer);
    const client = createClient({ url: server.url, apiKey: "k" });
    const ids = Array.from({ length: 12 }, (_, index) => `run ${index}`);
    let open = 0;
    const all = ids.map(async (id, index) => {
      await pause(index * 30);
      await waitForRun(client, id);
    });
    await pause(900);
    open = server.exchanges.filter(({ answered }) => !answered).length;
    expect(open).toBeLessThanOrEqual(3);
    for (const id of ids.toReversed()) end(id);
    await Promise.all(all);
  });

  it("polls all runs in one request without long polls", async () => {
    await using server = await startServer(
      service({ polls: 6, knows: ["idempotencyKey", "queryRequestId"], totalSize: "10" }),
    );
    const client = createClient({ url: server.url, apiKey: "k" });
    await query(client, { sql: "learn that it cannot wait" });
    const before = server.exchanges.length;
    const one = query(client, { sql: "a" });
    await pause(130);
    await Promise.all([one, query(client, { sql: "b" }), query(client, { sql: "c" })]);
    const polls = methodsOf(server.exchanges.slice(before)).filter((methods) =>
      methods.startsWith("getQueryRun getQueryRun"),
    );
    expect(polls).toContain("getQueryRun getQueryRun getQueryRun");
    expect(server.exchanges.length - before).toBeLessThan(18);
  });

  it("for one run by several callers ends for each of them", async () => {
    const { answer, end } = held();
    await using server = await startServer(answer);
    const client = createClient({ url: server.url, apiKey: "k" });
    const controller = new AbortController();
    const leaving = waitForRun(client, "a", { signal: controller.signal });
    const staying = waitForRun(client, "a");
    await expect.poll(() => server.exchanges.length, patience).toBe(2);
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ kind: "aborted", queryRunId: "a" });
    end("a");
    await expect(staying).resolves.toMatchObject({ state: "QUERY_STATE_SUCCESS" });
    expect(server.exchanges.map(({ calls }) => calls.length)).toEqual([2, 2]);
  });

  it("fails only for the caller whose callback throws", async () => {
    const { answer, end } = held();
    await using server = await startServer(answer);
    const client = createClient({ url: server.url, apiKey: "k" });
    const fault = new Error("a fault of the listener");
    const onRun = () => {
      throw fault;
    };
    const staying = [waitForRun(client, "a"), waitForRun(client, "a")];
    await expect(waitForRun(client, "a", { onRun })).rejects.toBe(fault);
    const known = await getQueryRun(client, { queryRunId: "a" });
    const [timers, cleared] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    await expect(waitForRun(client, "b", { onRun, timeoutMs: 60_000, known: known.queryRun })).rejects.toBe(fault);
    const limit = timers.mock.results[timers.mock.calls.findIndex(([, ms]) => ms === 60_000)]?.value;
    expect(limit).toBeDefined();
    expect(cleared).toHaveBeenCalledWith(limit);
    vi.restoreAllMocks();
    expect(server.exchanges.flatMap(({ calls }) => calls.map(({ params }) => params[0].queryRunId))).not.toContain("b");
    end("a");
    await expect(Promise.all(staying)).resolves.toHaveLength(2);
  });

  it("leaves no timer and no request behind", async () => {
    const { answer } = held();
    await using server = await startServer(answer);
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(waitForRun(client, "a", { timeoutMs: 250 })).rejects.toMatchObject({ kind: "timeout" });
    await expect.poll(() => server.exchanges.at(-1)?.abandoned, patience).toBe(true);
    const sent = server.exchanges.length;
    await pause(300);
    expect(server.exchanges).toHaveLength(sent);
  });
});
