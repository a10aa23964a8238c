import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SlowAnswer } from "../../src/server/check.ts";
import type { Request, Step } from "../../src/server/corpus.ts";
import { createContract } from "../../src/server/document.ts";
import type { Exchange } from "../../src/server/exchange.ts";
import type { Variables } from "../../src/server/placeholders.ts";
import { sentMembers } from "../../src/server/request-body.ts";
import { roundsOf, runSteps } from "../../src/server/steps.ts";

const contract = createContract({
  methods: [{ name: "a", examples: [{ name: "one", params: [{ value: 1 }], result: { value: 2 } }] }, { name: "b" }],
});

/** Returns the exchange of a call with a response of these members; without an answer if there are none. */
function exchangeOf(members: object | undefined): Exchange {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, ...members }));
  const answer = { status: 200, headers: { "content-type": "application/json" }, body };
  const sent = sentMembers(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"a"}'));
  return { sent, sentAt: 0, answer: members === undefined ? undefined : answer, contradictions: [] };
}

/** Runs steps against a server that gives these results one after the other; undefined sends no answer. */
async function ran(steps: readonly Step[], results: readonly unknown[], start: Variables = {}) {
  const left = [...results];
  const sent: { readonly request: Request; readonly variables: Variables }[] = [];
  const send = async (request: Request, variables: Variables) => {
    sent.push({ request, variables });
    const result = left.shift();
    return exchangeOf(result === undefined ? undefined : { result });
  };
  return { sent, variables: await runSteps(steps, { send }, contract, start) };
}
const call = (id: unknown = 1) => ({ json: { jsonrpc: "2.0", id, method: "a", params: [] } });
const expected = { reply: { id: 1 } };

describe("steps", () => {
  it("use the values that earlier steps captured", async () => {
    const steps: Step[] = [
      { send: call(), expect: expected, capture: { first: "/result/x", second: "/id" } },
      { send: call(), expect: expected, capture: { third: "/result" } },
    ];
    const { sent, variables } = await ran(steps, [{ x: 7 }, 8], { start: 0 });
    expect(sent[1]?.variables).toEqual({ start: 0, first: 7, second: 1 });
    expect(variables).toEqual({ start: 0, first: 7, second: 1, third: 8 });
  });

  it("are named in a problem by number and method, except a single one", async () => {
    const wrong: Step = { send: call(), expect: { reply: { id: 2 } } };
    const problem = "HTTP 200: id: expected 2, got 1";
    await expect(ran([wrong], [1])).rejects.toThrow(new RegExp(`^${problem}$`));
    await expect(ran([{ send: call(), expect: expected }, wrong], [1, 1])).rejects.toThrow(`step 2 (a): ${problem}`);
    const text: Step = { send: { text: "{" }, expect: { reply: { id: 2 } } };
    await expect(ran([text, wrong], [1, 1])).rejects.toThrow(`step 1: ${problem}`);
    await expect(ran([{ send: { json: { method: 7 } }, expect: { reply: { id: 2 } } }, wrong], [1])).rejects.toThrow(
      `step 1: ${problem}`,
    );
  });

  it("have one of several expected answers", async () => {
    const either = (...ids: readonly number[]): Step => ({
      send: call(),
      expect: ids.map((id) => ({ reply: { id } })),
    });
    await ran([either(2, 1)], [1]);
    await expect(ran([either(2, 3)], [1])).rejects.toThrow(
      "HTTP 200: id: expected 2, got 1\nHTTP 200: id: expected 3, got 1",
    );
  });

  it("end with an answer that says so, without its captures", async () => {
    const either: Step = {
      send: call(),
      expect: [{ reply: { values: { "/result/id": 7 } } }, { reply: { values: { "/result": "full" } }, ends: true }],
      capture: { id: "/result/id" },
    };
    const steps: Step[] = [either, { send: call(), expect: expected }];
    expect((await ran(steps, [{ id: 7 }, 1])).variables).toEqual({ id: 7 });
    expect(await ran(steps, ["full", 1])).toMatchObject({ sent: [{}], variables: {} });
  });

  it("report a wrong result by the expected results only, and a wrong error by the expected errors only", async () => {
    const either: Step = {
      send: call(),
      expect: [{ reply: { result: "valid", values: { "/result": 2 } } }, { reply: { error: -5 } }],
    };
    await expect(ran([either], [1])).rejects.toThrow(/^HTTP 200: \/result: expected 2, got 1$/);
    const errors: Step = { send: call(), expect: [{ reply: { error: -5 } }, { reply: { error: -6 } }] };
    await expect(ran([errors], [1])).rejects.toThrow(/expected the error -5, .*\n.*expected the error -6, /);
  });

  it("without an answer have a problem without a status", async () => {
    await expect(ran([{ send: call(), expect: expected }], [undefined])).rejects.toThrow(/^no response$/);
    await ran([{ send: call(), expect: { body: "none" } }], [undefined]);
  });

  it("that miss a captured value fail", async () => {
    const capture = { x: "/result/x", y: "/result/y", z: "/result" };
    await expect(ran([{ send: call(), expect: expected, capture }], [1])).rejects.toThrow(
      /^\/result\/x is missing\n\/result\/y is missing$/,
    );
  });

  it("with copies send each with its index, and capture nothing", async () => {
    const step: Step = { send: { ...call(), copies: 3 }, expect: expected, capture: { x: "/result" } };
    const { sent, variables } = await ran([step], [1, 2, 3], { a: 0 });
    expect(sent.map((one) => one.variables)).toEqual([0, 1, 2].map((index) => ({ a: 0, index })));
    expect(variables).toEqual({ a: 0 });
    await expect(ran([{ ...step, expect: { reply: { id: 2 } } }], [1, 2, 3])).rejects.toThrow("expected 2, got 1");
  });
});

describe("a request that the server refuses for its rate limit", () => {
  const refusal = (retryAfterMs: unknown) => ({ code: -32029, message: "slow down", data: { retryAfterMs } });

  /** Runs a step against a server that refuses the first requests. Returns the number of requests. */
  async function requestsOf(step: Step, refusals: readonly unknown[]): Promise<number> {
    let count = 0;
    const send = async () => {
      const error = refusals[count];
      count += 1;
      return exchangeOf(error === undefined ? { result: 1 } : { error });
    };
    await runSteps([step], { send }, contract, {});
    return count;
  }
  const step: Step = { send: call(), expect: { reply: { result: "valid" } } };

  it("is sent again after the demanded wait, also as one of several copies", async () => {
    expect(await requestsOf(step, [refusal(2), refusal(0)])).toBe(3);
    expect(await requestsOf({ ...step, send: { ...call(), copies: 2 } }, [refusal(1)])).toBe(3);
  });

  it("is not sent again if the step expects the refusal", async () => {
    expect(await requestsOf({ ...step, expect: { reply: { error: -32029 } } }, [refusal(2)])).toBe(1);
  });

  it("fails if the wait is missing, no time or too long", async () => {
    for (const retryAfterMs of [undefined, "1", -1, 1e6])
      await expect(requestsOf(step, [refusal(retryAfterMs)])).rejects.toThrow("-32029");
  });
});

describe("a step that is repeated until a value is reached", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const until = { pointer: "/result/s", isOneOf: ["DONE", "LOST"], everyMs: 0 };

  it("ends with one of the values, and captures the last answer", async () => {
    const step: Step = { send: call(), expect: expected, until, capture: { s: "/result/s" } };
    const { sent, variables } = await ran([step], [{ s: "A" }, { s: "B" }, { s: "LOST" }, { s: "C" }]);
    expect([sent.length, variables]).toEqual([3, { s: "LOST" }]);
  });

  it.each([
    [{ timeoutMs: 5 }, 5],
    [{}, 20_000],
  ])("is slow after the deadline of %j", async (more, timeoutMs) => {
    const wait = (ms: number): Step => ({
      send: call(),
      expect: expected,
      until: {
        ...until,
        ...more,
        get pointer() {
          vi.advanceTimersByTime(ms);
          return "/result/s";
        },
      },
    });
    // The pointer is read at each answer, and once for the message.
    await ran([wait(timeoutMs)], [{ s: "A" }, { s: "DONE" }]);
    const slow = ran([wait(timeoutMs + 1)], [{ s: "A" }, { s: "DONE" }]);
    await expect(slow).rejects.toBeInstanceOf(SlowAnswer);
    await expect(slow).rejects.toThrow(`/result/s is still "A" after ${timeoutMs} ms`);
  });
});

it("a case is repeated for each method or each example", () => {
  const one = { id: "A", level: "MUST", rule: "", source: "", steps: [] } as const;
  expect(roundsOf(one, contract)).toEqual([{}]);
  expect(roundsOf({ ...one, each: "method" }, contract)).toEqual([{ method: "a" }, { method: "b" }]);
  expect(roundsOf({ ...one, each: "example" }, contract)).toEqual([{ method: "a", example: "one", params: 1 }]);
});
