import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createListener, type Listener } from "../../src/store/listener.ts";
import { type FakeClient, made } from "./fake-pg.ts";

vi.mock("pg", async () => ({ default: (await import("./fake-pg.ts")).fakePg }));

// Fake timers leave this module alone.
vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number, _: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
}));

beforeEach(() => {
  vi.useFakeTimers();
  made.clients.splice(0);
  made.failures.splice(0);
});
afterEach(() => void vi.useRealTimers());

const notify = "SELECT pg_notify('quern', text) FROM unnest($1::text[]) AS text";
const turn = () => vi.advanceTimersByTimeAsync(0);

/** Creates a listener, with what it reports, and the clients that it makes. */
function listening() {
  const events: string[] = [];
  const listener: Listener = createListener({
    address: { text: "PostgreSQL at db", config: { host: "db" } },
    onText: (text) => events.push(`text ${text}`),
    onConnected: () => events.push("connected"),
    onError: (error) => events.push(`error ${(error as Error).message}`),
  });
  void listener.started.then(() => events.push("started"));
  const client = (): FakeClient => made.clients.at(-1) ?? (new Error("no client") as never);
  return { listener, events, client, sent: () => client().sent };
}

it("listens on a connection with a short deadline, and passes on what it hears", async () => {
  const { listener, events, client } = listening();
  await turn();
  expect(client().config).toMatchObject({ host: "db", query_timeout: 5_000, keepAlive: true });
  expect(client().calls).toEqual(["connect", "SET synchronous_commit = off; LISTEN quern"]);
  expect(events.splice(0)).toEqual(["connected", "started"]);
  client().emit("notification", { payload: "a" });
  client().emit("notification", {});
  expect(events.splice(0)).toEqual(["text a", "text "]);
  await listener.close();
  expect(client().calls.at(-1)).toBe("end");
  expect([made.clients.length, events, vi.getTimerCount()]).toEqual([1, [], 0]);
});

it("sends what is waiting in one statement, and what comes meanwhile in the next one", async () => {
  const { listener, client, sent } = listening();
  await turn();
  listener.send(["a", "b"]);
  listener.send(["c"]);
  listener.check();
  await turn();
  listener.send(["d"]);
  await turn();
  const statement = (texts: readonly string[]) => ({ name: "notify", text: notify, values: [texts] });
  expect(sent()).toEqual([statement(["a", "b"]), statement(["c"]), statement(["d"])]);
  listener.check();
  await turn();
  expect(sent().at(-1)).toEqual(statement([]));
  listener.send(["last"]);
  await listener.close();
  expect(sent().at(-1)).toEqual(statement(["last"]));
  expect(client().calls.at(-1)).toBe("end");
});

it("ends a connection that no longer works, and drops what is sent while it is away", async () => {
  const { listener, events, client } = listening();
  await turn();
  events.splice(0);
  made.failures.push("notify");
  listener.check();
  await turn();
  expect(events).toEqual(["error the connection ended"]);
  listener.send(["lost"]);
  await turn();
  await vi.advanceTimersByTimeAsync(50);
  expect(made.clients).toHaveLength(2);
  expect([events, client().sent]).toEqual([["error the connection ended", "connected"], []]);
  await listener.close();
});

it("connects again at growing intervals of at most two seconds, and reports only the first failure", async () => {
  made.failures.push(...Array<"connect">(9).fill("connect"));
  const { listener, events } = listening();
  await turn();
  expect(events.splice(0)).toEqual(["error connect", "started"]);
  const pauses: number[] = [];
  for (let known = 1; known < 10; known = made.clients.length) {
    const since = performance.now();
    while (made.clients.length === known) await vi.advanceTimersByTimeAsync(1);
    pauses.push(performance.now() - since);
  }
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
  expect(events).toEqual(["connected"]);
  expect(made.clients.slice(0, 9).map(({ calls }) => calls.at(-1))).toEqual(Array(9).fill("end"));
  await listener.close();
});

it("reports each loss with its reason, and connects soon after a connection that lasted", async () => {
  const { listener, events, client } = listening();
  await turn();
  await vi.advanceTimersByTimeAsync(10_001);
  events.splice(0);
  client().emit("error", new Error("terminated"));
  client().emit("end");
  await vi.advanceTimersByTimeAsync(49);
  expect([events.splice(0), made.clients.length]).toEqual([["error terminated"], 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([events.splice(0), made.clients.length]).toEqual([["connected"], 2]);
  client().emit("end");
  await turn();
  expect(events).toEqual(["error the connection ended"]);
  await listener.close();
});

it("makes no connection after it is closed, also while it waits for the next one", async () => {
  made.failures.push("connect");
  const { listener, events } = listening();
  await turn();
  await listener.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([made.clients.length, events]).toEqual([1, ["error connect", "started"]]);
});

it("ends a connection that is made while it closes, without a report", async () => {
  const { listener, events, client } = listening();
  const closed = listener.close();
  await turn();
  await closed;
  expect([client().calls.at(-1), events]).toEqual(["end", ["started"]]);
});
