import { createClient, query, rowsOf } from "@quern/client";
import { contract } from "@quern/protocol/contract";
import { describe, expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { randomOf } from "../../src/random.ts";
import { variedResult } from "../../src/variation/result.ts";
import { callerOf } from "../caller.ts";

const seeds = Array.from({ length: 20 }, (_, seed) => seed);
const rows = Array.from({ length: 5 }, (_, n) => ({ n, text: "größer ☃😀" }));

function varied(seed: number) {
  const mock = createMockServer({ variationSeed: seed, clock: { startAt: 0 } });
  mock.when("select").rows(rows);
  mock.when("fail").fails({ errorMessage: "no" });
  return mock;
}

/** Returns the answers to some calls, as text and as values. */
async function answers(seed: number) {
  const { send, sendAll, create } = callerOf(varied(seed));
  const ids = [await create("select"), await create("fail")];
  const looks = ids.map((queryRunId) => ({ queryRunId }));
  const batch = JSON.stringify(await sendAll("getQueryRun", looks));
  for (let polls = 0; polls < 3; polls++) await sendAll("getQueryRun", looks);
  const all: { method: keyof typeof contract; text: string }[] = [];
  for (const [method, params] of [
    ["getQueryRun", { queryRunId: ids[0] }],
    ["getQueryRun", { queryRunId: ids[1] }],
    ["createQueryRun", { sql: "select" }],
    ["getQueryRunResults", { queryRunId: ids[0], format: "json" }],
    ["listQueryRuns", {}],
  ] as const)
    all.push({ method, text: await (await send(method, params)).text() });
  return { ids, batch, all };
}

describe("a varied mock", () => {
  it("gives valid answers", async () => {
    for (const { all } of await Promise.all(seeds.map(answers))) {
      for (const { method, text } of all) {
        const { result, error } = JSON.parse(text);
        if (error === undefined) expect(contract[method].result["~standard"].validate(result)).toHaveProperty("value");
        else expect(error).toMatchObject({ code: -32170, data: { maxPageSize: 3 } });
      }
    }
  });

  it("gives our client the same rows for each seed", async () => {
    const read = async (seed: number) => {
      const result = await query(createClient(varied(seed)), { sql: "select" });
      return Array.fromAsync(rowsOf(result));
    };
    expect(await Promise.all(seeds.map(read))).toEqual(seeds.map(() => rows));
  });

  it("repeats its answers by its seed, also with other calls in between", async () => {
    expect(await answers(7)).toEqual(await answers(7));
    const texts = async () => {
      const mock = varied(7);
      const bodies: string[] = [];
      const fetch: typeof mock.fetch = async (...request) => {
        const response = await mock.fetch(...request);
        bodies.push((await response.clone().text()).replace(/("idempotencyKey": ?")[^"]*/, "$1"));
        return response;
      };
      await query(createClient({ ...mock, fetch }), { sql: "select" });
      return bodies;
    };
    expect(await texts()).toEqual(await texts());
    const [plain, other] = [callerOf(varied(7)), callerOf(varied(7))];
    await other.send("listQueryRuns", { limit: 3 });
    const listed = async ({ send }: typeof plain) => (await send("listQueryRuns", {})).text();
    expect(await listed(plain)).toBe(await listed(other));
  });

  it("varies what the contract leaves open", async () => {
    const seen = new Set<string>();
    const ids = new Set<number>();
    for (const { ids: made, batch, all } of await Promise.all(seeds.map(answers))) {
      for (const id of made) ids.add(id.length);
      const text = all.map((one) => one.text).join("\n");
      const states = `${batch}${text}`;
      seen.add(
        /^\[\{.*?"id":1/.test(batch) && batch.indexOf('"id":1') < batch.indexOf('"id":0') ? "batch turned" : "batch",
      );
      seen.add(/QUERY_STATE_HIBERNATING|PLANNING/.test(states) ? "new state" : "known states");
      seen.add(text.includes("redirectedToQueryRun") ? "optional member null" : "optional member absent");
      if (/"new\d+"/.test(text)) seen.add("new member");
      seen.add(text.includes("-32170") ? "small pages" : "large pages");
      seen.add(text.includes("\\u") ? "escaped" : "plain");
      seen.add(/^\{\n/m.test(text) ? "indented" : "dense");
      for (const one of all) seen.add(/^\{\s*"jsonrpc"/.test(one.text) ? "usual order" : "another order");
    }
    expect([...seen].sort()).toEqual([
      "another order",
      "batch",
      "batch turned",
      "dense",
      "escaped",
      "indented",
      "known states",
      "large pages",
      "new member",
      "new state",
      "optional member absent",
      "optional member null",
      "plain",
      "small pages",
      "usual order",
    ]);
    expect(ids.size).toBeGreaterThan(3);
  });

  it("varies a repeated request, and another request", async () => {
    const { send } = callerOf(varied(1));
    const texts = async (params: readonly object[]) =>
      new Set(await Promise.all(params.map(async (one) => (await send("listQueryRuns", one)).text())));
    expect((await texts(Array.from({ length: 8 }, () => ({})))).size).toBeGreaterThan(3);
    expect((await texts(Array.from({ length: 8 }, (_, n) => ({ limit: n + 1 })))).size).toBeGreaterThan(3);
  });

  it("answers concurrent requests in another order", async () => {
    const { send } = callerOf(varied(1));
    const limits = Array.from({ length: 12 }, (_, n) => n + 1);
    const answered: number[] = [];
    await Promise.all(limits.map((limit) => send("listQueryRuns", { limit }).then(() => answered.push(limit))));
    expect(answered).not.toEqual(limits);
    expect(answered.toSorted((a, b) => a - b)).toEqual(limits);
  });

  it("does not vary the state of a run that has ended", async () => {
    const { create, poll } = callerOf(varied(1));
    const queryRunId = await create("select");
    const states: string[] = [];
    for (let polls = 0; polls < 20; polls++) states.push(await poll(queryRunId));
    expect(new Set(states.slice(4))).toEqual(new Set(["SUCCESS"]));
  });

  it("keeps large ids exactly", async () => {
    const { fetch, url, apiKey } = varied(1);
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const body = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"listQueryRuns","params":[{}]}';
    const text = await (await fetch(`${url}/json-rpc`, { method: "POST", headers, body })).text();
    expect(text).toContain('"id":12345678901234567890');
  });
});

it("a new member has the same value in each answer", () => {
  const values = new Map<string, Set<string>>();
  for (let nth = 0; nth < 500; nth++)
    for (const [name, value] of Object.entries(variedResult("cancelQueryRun", {}, randomOf(nth)) as object))
      if (name.startsWith("new")) values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
  expect(values.size).toBeGreaterThan(50);
  expect([...values].filter(([, { size }]) => size > 1)).toEqual([]);
});
