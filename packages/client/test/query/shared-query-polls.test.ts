import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createClient, shareQuery, startQuery } from "../../src/index.ts";
import { each, patience, startServer, type WireCall } from "../support/scripted-server.ts";

const run = (state: string) => ({ result: { queryRun: { id: "a", state: `QUERY_STATE_${state}` } } });
const firstPage = { result: { columnNames: ["n"], columnTypes: ["number"], rows: [[1]] } };

/** Kind of a call. A long poll waits for the end of the run; the poll of a queued run does not. */
function kindOf({ method, params: [params] }: WireCall): string {
  return method === "getQueryRun" && "waitSeconds" in params ? "long poll" : method;
}

/** A query that is followed, on a service that holds every call but the create until the test answers it. */
async function followQuery() {
  const held = new Map<string, (reply: object) => void>();
  const server = await startServer(async (exchange) => {
    const [call] = exchange.calls;
    if (!call) throw new Error("the request has no call");
    const created = { queryRequest: { id: "b", queryRunId: "a" }, queryRun: { id: "a", state: "QUERY_STATE_READY" } };
    const reply =
      call.method === "createQueryRun"
        ? { result: created }
        : await new Promise<object>((resolve) => held.set(kindOf(call), resolve));
    return each(() => reply)(exchange);
  });
  const client = createClient({ url: server.url, apiKey: "k", batch: false, sleep: async () => {} });
  const started = await startQuery(client, { sql: "a" });
  const changes: string[] = [];
  const onChange = (isOver: boolean) => changes.push(isOver ? "over" : shared.phase);
  const shared = shareQuery(client, { sql: "a" }, { started, onChange });
  const caller = new AbortController();
  const result = shared.join(caller.signal).catch((reason: unknown) => reason);
  shared.follow();
  await vi.waitFor(() => expect([...held.keys()].sort()).toEqual(["getQueryRun", "long poll"]), patience);
  changes.splice(0); // the state that the create has reported
  const answer = (kind: string, reply: object) => held.get(kind)?.(reply);
  /** Answers the poll of the queued run, and waits until the client has read the answer. */
  async function answerLatePoll() {
    const { exchanges } = server;
    const poll = exchanges.find(({ calls }) => calls.some((call) => kindOf(call) === "getQueryRun"));
    answer("getQueryRun", run("RUNNING"));
    await vi.waitFor(() => expect(poll?.answered).toBe(true), patience);
    for (let turns = 0; turns < 20; turns += 1) await setImmediate();
  }
  return { server, shared, caller, result, changes, held, answer, answerLatePoll };
}

describe("a poll of a queued run that is answered late", () => {
  it("changes nothing once the run has ended", async () => {
    const { server, shared, result, changes, held, answer, answerLatePoll } = await followQuery();
    await using _ = server;
    answer("long poll", run("SUCCESS"));
    await vi.waitFor(() => expect(held.has("getQueryRunResults")).toBe(true), patience);
    await answerLatePoll();
    expect([shared.phase, changes]).toEqual(["reading", ["reading"]]);
    answer("getQueryRunResults", firstPage);
    expect(await result).toMatchObject({ queryRunId: "a" });
    expect([shared.phase, changes]).toEqual(["reading", ["reading", "over"]]);
  });

  it("changes nothing once the last caller has aborted", async () => {
    const { server, shared, caller, result, changes, answerLatePoll } = await followQuery();
    await using _ = server;
    caller.abort("left");
    expect(await result).toBe("left");
    await vi.waitFor(() => expect(changes).toContain("over"), patience);
    await answerLatePoll();
    expect([shared.phase, new Set(changes)]).toEqual(["queued", new Set(["over"])]);
  });
});
