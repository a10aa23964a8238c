import { setImmediate } from "node:timers/promises";
import { createMockServer } from "@quern/mock-server";
import { describe, expect, it, vi } from "vitest";
import { createClient, shareQuery } from "../../src/index.ts";

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
});
