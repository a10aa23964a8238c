import { createClient, QuernError, query, rowsOf } from "@quern/client";
import { adversaryCases } from "@quern/conformance/client";
import { beforeAll, describe, expect, it } from "vitest";
import { type FaultCase, forEachFault } from "../../src/index.ts";

const rows = [{ n: 1 }, { n: 2 }];

/** Travels that only the caller ends. */
const endless = ["silence", "stall", "trickle"];

/** What a query comes to: its rows, or what it throws. A caller gives up soon after it has met what does not end. */
async function outcomeOf({ mock, planned }: FaultCase): Promise<unknown> {
  mock.when("select").rows(rows);
  const giveUp = new AbortController();
  const client = createClient({
    ...mock,
    timeoutMs: 10_000,
    fetch(input, init) {
      if (endless.includes(planned.fault.travel ?? "whole")) setTimeout(() => planned.played > 0 && giveUp.abort(), 20);
      return mock.fetch(input, init);
    },
  });
  try {
    const result = await query(client, { sql: "select" }, { signal: giveUp.signal, timeoutMs: 10_000 });
    return await Array.fromAsync(rowsOf(result, { signal: giveUp.signal }));
  } catch (error) {
    return error;
  }
}

describe("our client", () => {
  const cases: FaultCase[] = [];
  const outcomes = new Map<string, unknown>();
  // All at once, since most of their time is waiting.
  beforeAll(() => Promise.all(cases.map(async (one) => outcomes.set(one.name, await outcomeOf(one)))));

  forEachFault((one) => {
    cases.push(one);
    const { name, recoverable, planned } = one;
    it(`${recoverable ? "gets its rows despite" : "is right or says what is wrong with"} ${name}`, () => {
      expect(planned.played).toBe(1);
      const outcome = outcomes.get(name);
      if (recoverable || !(outcome instanceof QuernError)) expect(outcome).toEqual(rows);
    });
  });
});

it("has the errors of the contract only where a method declares them, and other methods where asked for", () => {
  const names: string[] = [];
  forEachFault(({ name }) => names.push(name), { methods: ["getQueryRunResults", "listQueryRuns"] });
  expect(names).toContain("getQueryRunResults: error QueryRunResultsExpired");
  expect(names).not.toContain("listQueryRuns: error QueryRunResultsExpired");
  expect(names).toContain("listQueryRuns: an empty body");
  expect(new Set(names).size).toBe(names.length);
});

it("has the names by which the conformance kit plays them to clients", () => {
  const played = new Set(adversaryCases.map(({ name }) => name));
  const others: string[] = [];
  forEachFault(({ name, planned }) => {
    const [fault = ""] = name.split(`${planned.method}: `).slice(1);
    if (!played.has(fault) && !/^error [A-Z]/.test(fault)) others.push(fault);
  });
  expect(others).toEqual([]);
});
