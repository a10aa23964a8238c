import { setImmediate } from "node:timers/promises";
import { createMockServer } from "@quern/mock-server";
import { describe, expect, it, vi } from "vitest";
import { createClient, type SharedQuery, shareQuery, startQuery } from "../../src/index.ts";
import { each, startServer } from "../support/scripted-server.ts";

const patience = { timeout: 5000, interval: 5 };

function openService() {
  const mock = createMockServer();
  mock
    .when("select slow")
    .after("30s")
    .rows([{ n: 1 }]);
  const sent: string[] = [];
  const client = createClient({
    ...mock,
    interceptors: [
      (request, next) => {
        sent.push(...request.methods);
        return next(request);
      },
    ],
  });
  const changes: boolean[] = [];
  const shared = shareQuery(client, { sql: "select slow" }, { onChange: (isOver) => changes.push(isOver) });
  return { mock, sent, client, changes, shared };
}

describe("shareQuery", () => {
  it("creates one run for all callers", async () => {
    const { mock, sent, shared, changes } = openService();
    const { signal } = new AbortController();
    const results = Promise.all([shared.join(signal), shared.join(signal)]);
    await vi.waitFor(() => expect(shared.started).toBeDefined(), patience);
    mock.clock.advance("30s");
    const [one, two] = await results;
    expect(one).toBe(two);
    expect(one.queryRunId).toBe(shared.started?.queryRunId);
    expect(sent.filter((method) => method === "createQueryRun")).toHaveLength(1);
    expect(changes.at(-1)).toBe(true);
  });

  it("withdraws the run when the last caller aborts", async () => {
    const { sent, shared, changes } = openService();
    const callers = [new AbortController(), new AbortController()];
    const waits = callers.map(({ signal }) => shared.join(signal).catch(() => "left"));
    await vi.waitFor(() => expect(shared.started).toBeDefined(), patience);
    callers[0]?.abort();
    expect(await waits[0]).toBe("left");
    expect([sent.includes("cancelQueryRun"), changes.includes(true)]).toEqual([false, false]);
    callers[1]?.abort();
    await vi.waitFor(() => expect(sent).toContain("cancelQueryRun"), patience);
    expect(changes.at(-1)).toBe(true);
  });

  it("keeps the run if a caller joins right after the last one aborts", async () => {
    const { mock, sent, shared } = openService();
    const first = new AbortController();
    const left = shared.join(first.signal).catch(() => "left");
    await vi.waitFor(() => expect(shared.started).toBeDefined(), patience);
    first.abort();
    const second = shared.join(new AbortController().signal);
    expect(await left).toBe("left");
    mock.clock.advance("30s");
    expect((await second).rowCount).toBe(1);
    expect(sent).not.toContain("cancelQueryRun");
  });

  it("is over when its last caller has aborted, also while its work continues", async () => {
    const { client } = openService();
    const changes: boolean[] = [];
    const options = {
      schedule: () => new Promise<never>(() => {}),
      onChange: (isOver: boolean) => changes.push(isOver),
    };
    const shared = shareQuery(client, { sql: "select slow" }, options);
    const callers = [new AbortController(), new AbortController()];
    const waits = callers.map(({ signal }) => shared.join(signal).catch(() => "left"));
    callers[0]?.abort();
    await setImmediate();
    expect(changes).toEqual([]);
    callers[1]?.abort();
    await setImmediate();
    expect(changes).toEqual([true]);
    expect(await Promise.all(waits)).toEqual(["left", "left"]);
  });

  it("reports that a queued run executes before its end", async () => {
    const { mock, shared } = openService();
    const result = shared.join(new AbortController().signal);
    shared.follow();
    expect(shared.phase).toBe("queued");
    await vi.waitFor(() => expect(shared.phase).toBe("running"), patience);
    mock.clock.advance("30s");
    await result;
    expect(shared.phase).toBe("reading");
  });

  it("stops polling when the create fails", async () => {
    let sleeps = 0;
    const client = createClient({
      url: "http://127.0.0.1:8080",
      retries: 0,
      fetch: () => Promise.reject(new Error("down")),
      sleep: async () => {
        sleeps += 1;
        await (sleeps > 20 ? new Promise<void>(() => {}) : setImmediate());
      },
    });
    const shared = shareQuery(client, { sql: "select 1" }, { onChange: () => {} });
    shared.follow();
    await expect(shared.join(new AbortController().signal)).rejects.toMatchObject({ kind: "network" });
    // A sleep in progress may still end.
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    const before = sleeps;
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
    expect(sleeps).toBe(before);
  });

  it("creates no run for a caller whose signal is aborted", async () => {
    const { sent, shared, changes } = openService();
    const joined = shared.join(AbortSignal.abort("left")).catch((reason: unknown) => reason);
    await vi.waitFor(() => expect(changes.at(-1)).toBe(true), patience);
    expect(await joined).toBe("left");
    expect(sent).toEqual([]);
  });

  it("resumes a run that is given, and creates none", async () => {
    const { mock, sent, client } = openService();
    const started = await startQuery(client, { sql: "select slow" });
    const shared = shareQuery(client, { sql: "select other" }, { started, onChange: () => {} });
    expect(shared.started).toBe(started);
    const result = shared.join(new AbortController().signal);
    mock.clock.advance("30s");
    expect((await result).queryRunId).toBe(started.queryRunId);
    expect(sent.filter((method) => method === "createQueryRun")).toHaveLength(1);
  });

  it("starts when the schedule lets it, with a signal that ends with the last caller", async () => {
    const { mock, sent, client } = openService();
    const changes: boolean[] = [];
    const signals: AbortSignal[] = [];
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const shared = shareQuery(
      client,
      { sql: "select slow" },
      {
        schedule: async (work, signal) => {
          signals.push(signal);
          await begun;
          return work();
        },
        onChange: (isOver) => changes.push(isOver),
      },
    );
    const callers = [new AbortController(), new AbortController()];
    const waits = callers.map(({ signal }) => shared.join(signal).catch((reason: unknown) => reason));
    await setImmediate();
    expect([sent, shared.started, shared.phase]).toEqual([[], undefined, "queued"]);
    callers[0]?.abort("first");
    expect(await waits[0]).toBe("first");
    begin();
    await vi.waitFor(() => expect(shared.started).toBeDefined(), patience);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    callers[1]?.abort("second");
    expect(await waits[1]).toBe("second");
    await vi.waitFor(() => expect(sent).toContain("cancelQueryRun"), patience);
    expect(signals[0]?.aborted).toBe(true);
    expect(changes.at(-1)).toBe(true);
    mock.clock.advance("30s");
  });

  it("is over with its signal aborted when the result has arrived", async () => {
    const { mock, client } = openService();
    const changes: [boolean, SharedQuery["phase"]][] = [];
    const shared = shareQuery(
      client,
      { sql: "select slow" },
      { onChange: (isOver) => changes.push([isOver, shared.phase]) },
    );
    const result = shared.join(new AbortController().signal);
    await vi.waitFor(() => expect(shared.started).toBeDefined(), patience);
    mock.clock.advance("30s");
    await result;
    expect(changes.at(-1)).toEqual([true, "reading"]);
    expect(changes.filter(([isOver]) => isOver)).toHaveLength(1);
    expect(await shared.join(new AbortController().signal)).toBe(await result);
  });

  it("has the phase of each state, and stays in its phase for a state of the queue", async () => {
    const states = ["READY", "RUNNING", "READY", "STREAMING_RESULTS", "SOMETHING_NEW", "READY", "SUCCESS"];
    await using server = await startServer(
      each(({ method }) => {
        if (method === "createQueryRun")
          return {
            result: { queryRequest: { id: "b", queryRunId: "a" }, queryRun: { id: "a", state: "QUERY_STATE_READY" } },
          };
        if (method === "getQueryRunResults")
          return { result: { columnNames: ["n"], columnTypes: ["number"], rows: [] } };
        return { result: { queryRun: { id: "a", state: `QUERY_STATE_${states.shift() ?? "SUCCESS"}` } } };
      }),
    );
    const client = createClient({ url: server.url, apiKey: "k", sleep: async () => {} });
    const phases: (string | boolean)[] = [];
    const shared = shareQuery(
      client,
      { sql: "a" },
      { onChange: (isOver) => phases.push(isOver ? "over" : shared.phase) },
    );
    await shared.join(new AbortController().signal);
    const distinct = phases.filter((phase, index) => phase !== phases[index - 1]);
    expect(distinct).toEqual(["queued", "running", "reading", "over"]);
  });

  it("limits the creation, and then the run, to 20 minutes each", async () => {
    const { mock, shared } = openService();
    const timers = vi.spyOn(globalThis, "setTimeout");
    const result = shared.join(new AbortController().signal);
    await vi.waitFor(() => expect(shared.started).toBeDefined(), patience);
    mock.clock.advance("30s");
    await result;
    expect(timers.mock.calls.filter(([, ms]) => ms === 1_200_000)).toHaveLength(2);
    timers.mockRestore();
  });
});
