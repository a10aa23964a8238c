import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  type AdversaryCase,
  adversaryCases,
  type ConnectClient,
  formatResults,
  isAsExpected,
  levelOf,
  runAdversary,
  runCase,
} from "../../src/client/index.ts";
import { sentText } from "../../src/client/report.ts";
import { plainClient } from "./plain-client.ts";

const poll = { method: "getQueryRun", params: { queryRunId: "a" } };
const create = { method: "createQueryRun", params: { sql: "select 1" } };
const maxSends = { createQueryRun: 1 };
const good: AdversaryCase = { name: "good", calls: [poll], faults: [{}], endings: ["right"] };
const named = (name: string): AdversaryCase => {
  const found = adversaryCases.find((one) => one.name === name);
  if (!found) throw new Error(`no case is called ${name}`);
  return found;
};
const problems = async (one: AdversaryCase, connect: ConnectClient = plainClient) =>
  (await runCase(one, connect)).problems;

describe("the adversary", () => {
  it("has unique case names, and an ending for each call", () => {
    const names = adversaryCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, calls = [], sequence = [], query, endings } of adversaryCases)
      expect([name, endings.length]).toEqual([name, calls.length + sequence.length + (query ? 1 : 0)]);
  });

  it("is data: the cases can be written as JSON", () => {
    expect(JSON.parse(JSON.stringify(adversaryCases))).toEqual(adversaryCases);
  });

  it("passes a client that ends as expected", async () => {
    expect(await runCase(good, plainClient)).toEqual({
      name: "good",
      level: "should",
      outcome: "passed",
      problems: [],
      sent: ["getQueryRun"],
    });
  });

  it.each([
    ["id of another call", /^expected the error protocol, got a result/],
    ["HTTP 502 once", /^expected the right result, got the error http 502/],
    ["no response", /^expected the error timeout, got the error network/],
    ["error true", /^expected the error protocol, got the wrong result nothing/],
    ["redirect with HTTP 307", /^request sent to \/elsewhere, expected \/json-rpc only/],
    ["failed run", /^expected the error failed, got a result/],
  ])("finds out a client by %s", async (name, problem) => {
    const found = await problems({ ...named(name), faults: named(name).faults.map(({ on, ...fault }) => fault) });
    expect(found.join("\n")).toMatch(new RegExp(problem.source, "m"));
  });

  it("does not count a fault that was not reached", async () => {
    expect((await runCase(named("batch closed mid-body"), plainClient)).outcome).toBe("not-reached");
  });

  it("finds requests that are sent too often or too early", async () => {
    const twice: AdversaryCase = {
      ...good,
      calls: [poll, poll],
      endings: ["right", "right"],
      maxSends: { getQueryRun: 1 },
    };
    expect(await problems(twice)).toEqual(["getQueryRun: sent 2 times, expected at most 1"]);
    const early: AdversaryCase = { ...good, sequence: [poll], endings: ["right", "right"], minWaitMs: 60_000 };
    expect(await problems(early)).toEqual([
      expect.stringMatching(/^request repeated after \d+ ms, expected at least 60000 ms/),
    ]);
  });

  it.each<[string, (done: AbortSignal) => (limits: { signal: AbortSignal }) => void, string]>([
    ["a timer", (done) => () => keepAlive(done), "timer left open"],
    [
      "a listener",
      () =>
        ({ signal }) =>
          signal.addEventListener("abort", () => {}),
      "abort listener left on the signal",
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
    const silent: AdversaryCase = { ...good, faults: [{ connection: "hang" }], endings: ["network"], abort: true };
    expect(await problems(silent, forgetful)).toEqual(["getQueryRun: request left open"]);
  });
});

function keepAlive(done: AbortSignal): void {
  const timer = setTimeout(() => {}, 60_000);
  done.addEventListener("abort", () => clearTimeout(timer));
}

const levelOfResult = async (one: AdversaryCase) => (await runCase(one, plainClient)).level;

describe("a level", () => {
  it("is must for a result instead of an error, for a wrong result, and for an error without a fault", async () => {
    expect(await levelOfResult(named("id of another call"))).toBe("must");
    expect(await levelOfResult({ ...good, faults: [{ body: '{"jsonrpc":"2.0","id":1,"result":7}' }] })).toBe("must");
    expect(await levelOfResult({ ...named("delayed response"), faults: [{ status: 500 }] })).toBe("must");
    expect(await levelOfResult({ ...good, calls: [create, create], endings: ["right", "right"], maxSends })).toBe(
      "must",
    );
  });

  it("is should for an error instead of a result or of another error", async () => {
    expect(await levelOfResult(named("HTTP 502 once"))).toBe("should");
    expect(await levelOfResult(named("no response"))).toBe("should");
  });

  it("decides the verdict", async () => {
    const results = await runAdversary(plainClient, [named("HTTP 502 once")]);
    expect([isAsExpected(results), isAsExpected(results, "should")]).toEqual([true, false]);
    const wrong = await runAdversary(plainClient, [named("id of another call")]);
    expect(isAsExpected(wrong)).toBe(false);
    expect(formatResults(wrong)).toMatch(/\nthe client fails$/);
  });

  it("of each case is in the guide", async () => {
    const guide = await readFile(new URL("../../../../docs/guides/contract-testing.md", import.meta.url), "utf8");
    for (const level of ["must", "should"]) {
      const listed = new RegExp(`<summary>Cases of level ${level}</summary>\n\n([^<]*)\n\n</details>`).exec(guide)?.[1];
      const names = adversaryCases.filter((one) => levelOf(one) === level).map(({ name }) => `- ${name}`);
      expect(listed?.split("\n")).toEqual(names);
    }
  });
});

it("requests are listed with their methods, and with another path than the endpoint", async () => {
  const { sent } = await runCase(named("redirect with HTTP 307"), plainClient);
  expect(sent).toEqual(["getQueryRun", "getQueryRun to /elsewhere"]);
  expect(sentText([])).toBe("nothing");
  expect(sentText(["createQueryRun", "getQueryRun", "getQueryRun", "createQueryRun"])).toBe(
    "createQueryRun, getQueryRun 2 times, createQueryRun",
  );
});

it("an expected error is named once", async () => {
  const twice: AdversaryCase = { ...good, endings: ["rpc -5 or rpc -5"] };
  expect(await problems(twice)).toEqual(["expected the error rpc -5, got a result"]);
});

it("a client that sends nothing fails", async () => {
  const idle: ConnectClient = (service) => ({
    ...plainClient(service),
    call: () => Promise.reject(new Error("network")),
  });
  const cases = [good, named("HTTP 502 once"), named("batch closed mid-body")];
  const results = await runAdversary(idle, cases);
  expect(results.map(({ outcome, level }) => [outcome, level])).toEqual(cases.map(() => ["failed", "must"]));
  expect(results[0]?.problems).toEqual(["the client sent no request"]);
});

it("a client that a loaded machine delays beyond a short deadline has a second try with a longer one", async () => {
  const deadlines: number[] = [];
  const slow: ConnectClient = (service) => {
    deadlines.push(service.timeoutMs);
    return service.timeoutMs < 1_000
      ? { ...plainClient(service), call: () => Promise.reject(new Error("timeout")) }
      : plainClient(service);
  };
  const [result] = await runAdversary(slow, [{ ...good, timeoutMs: 100 }]);
  expect([result?.outcome, deadlines]).toEqual(["passed", [100, 2_000]]);
});

it("a report lists failures by level, and cases that were not reached", async () => {
  const cases = [good, named("HTTP 502 once"), named("batch closed mid-body"), named("id of another call")];
  expect(formatResults(await runAdversary(plainClient, cases))).toBe(
    [
      "must: id of another call",
      "  expected the error protocol, got a result",
      "  sent: getQueryRun",
      "should: HTTP 502 once",
      "  expected the right result, got the error http 502",
      "  sent: getQueryRun",
      "not reached: batch closed mid-body",
      "1 of 4 cases pass; failures: 1 must, 1 should; 1 not reached",
      "the client fails",
    ].join("\n"),
  );
});
