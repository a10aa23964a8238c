import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  type AdversaryCase,
  adversaryCases,
  type ConnectClient,
  formatResults,
  playCase,
  runAdversary,
} from "../../src/client/index.ts";
import { plainClient } from "./plain-client.ts";

const look = { method: "getQueryRun", params: { queryRunId: "a" } };
const good: AdversaryCase = { name: "good", calls: [look], faults: [{}], ends: ["right"] };
const named = (name: string): AdversaryCase => {
  const found = adversaryCases.find((one) => one.name === name);
  if (!found) throw new Error(`no case is called ${name}`);
  return found;
};
const problems = async (one: AdversaryCase, connect: ConnectClient = plainClient) =>
  (await playCase(one, connect)).problems;

describe("the adversary", () => {
  it("has a name for each case, and each says how every ask ends", () => {
    const names = adversaryCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, calls = [], sequence = [], query, ends } of adversaryCases)
      expect([name, ends.length]).toEqual([name, calls.length + sequence.length + (query ? 1 : 0)]);
  });

  it("is data: a table can be written as JSON", () => {
    expect(JSON.parse(JSON.stringify(adversaryCases))).toEqual(adversaryCases);
  });

  it("lets a client pass that gets it right", async () => {
    expect(await playCase(good, plainClient)).toEqual({ name: "good", outcome: "passed", problems: [] });
  });

  it.each([
    ["the id of another call", /^ended right, not protocol/],
    ["HTTP 502 once", /^ended http 502, not right/],
    ["silence", /^ended network, not timeout/],
    ["an error that is true", /^ended wrong: nothing, not protocol/],
    ["a redirect by 307", /^a request went to \/elsewhere/],
    ["a failed run", /^ended right, not failed/],
  ])("finds out a client by %s", async (name, problem) => {
    const found = await problems({ ...named(name), faults: named(name).faults.map(({ on, ...fault }) => fault) });
    expect(found.join("\n")).toMatch(new RegExp(problem.source, "m"));
  });

  it("does not count a fault that was never met", async () => {
    expect((await playCase(named("a batch cut in the middle"), plainClient)).outcome).toBe("not played");
  });

  it("finds what is sent too often, and too early", async () => {
    const twice: AdversaryCase = { ...good, calls: [look, look], ends: ["right", "right"], sends: { getQueryRun: 1 } };
    expect(await problems(twice)).toEqual(["getQueryRun was sent 2 times, not 1 at most"]);
    const early: AdversaryCase = { ...good, sequence: [look], ends: ["right", "right"], waitsMs: 60_000 };
    expect(await problems(early)).toEqual([expect.stringMatching(/^it was sent again after \d+ ms, not 60000/)]);
  });

  it.each<[string, (done: AbortSignal) => (limits: { signal: AbortSignal }) => void, string]>([
    ["a timer", (done) => () => keepAlive(done), "a timer is left"],
    [
      "a listener",
      () =>
        ({ signal }) =>
          signal.addEventListener("abort", () => {}),
      "listeners left on the signal",
    ],
  ])("finds %s that is left", async (_name, leak, problem) => {
    const done = new AbortController();
    const leaks = leak(done.signal);
    const connect: ConnectClient = (service) => {
      const client = plainClient(service);
      return {
        ...client,
        call(method, params, limits) {
          leaks(limits);
          return client.call(method, params, limits);
        },
      };
    };
    expect(await problems(good, connect)).toEqual([problem]);
    done.abort();
  });

  it("finds a request that is left open", async () => {
    const forgetful: ConnectClient = (service) => {
      const client = plainClient(service);
      return {
        ...client,
        async call(method, params, { signal }) {
          client.call(method, params, { timeoutMs: 60_000, signal: new AbortController().signal }).catch(() => {});
          await once(signal, "abort");
          throw new Error("gave up");
        },
      };
    };
    const silent: AdversaryCase = { ...good, faults: [{ travel: "silence" }], ends: ["network"], abort: true };
    expect(await problems(silent, forgetful)).toEqual(["getQueryRun left open"]);
  });
});

function keepAlive(done: AbortSignal): void {
  const timer = setTimeout(() => {}, 60_000);
  done.addEventListener("abort", () => clearTimeout(timer));
}

it("a report names what failed and what was not played", async () => {
  const cases = [good, named("HTTP 502 once"), named("a batch cut in the middle")];
  expect(formatResults(await runAdversary(plainClient, cases))).toBe(
    [
      "HTTP 502 once: failed",
      "  ended http 502, not right",
      "a batch cut in the middle: not played",
      "1 of 3 cases pass",
    ].join("\n"),
  );
});
