import { describe, expect, it, vi } from "vitest";
import { createNamespaceState } from "../../src/namespace/namespace-state.ts";
import type { NamespaceOptions } from "../../src/namespace/options.ts";
import { createRegistry } from "../../src/namespace/registry.ts";
import { createMockRun } from "../../src/runs/mock-run.ts";

const query = { sql: "select 1", parameters: null, tags: {}, dataSource: "samples" };

function open(options: NamespaceOptions = {}) {
  const namespace = createNamespaceState(options);
  const { clock } = namespace;
  const add = (id: string, reuseKey = "a") => {
    const record = { id, reuseKey, state: "QUERY_STATE_READY", createdAt: clock.now(), attempt: 0, result: null };
    const run = createMockRun({
      record: record as never,
      query,
      plan: {},
      script: { polls: 1 },
      execute: () => ({ result: { columns: [], rows: [] } }),
      clock,
    });
    namespace.addRun(run);
    return run;
  };
  return { namespace, add };
}

describe("a statement that no stub matches", () => {
  it("is logged with the nearest stub and answered as by default, with onUnmatched", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { namespace } = open({ onUnmatched: "warn" });
    namespace.stubs.when("select 2").rows([{ n: 2 }]);
    expect(namespace.planFor({ ...query, sql: "select 2" })).toMatchObject({ outcome: {} });
    expect(warn.mock.calls).toEqual([]);
    expect(namespace.planFor(query)).toEqual({});
    expect(warn.mock.calls).toEqual([
      [
        'mock server: no stub matches "select 1"; the nearest is when("select 2"), which differs in the SQL (expected "2", got "1")',
      ],
    ]);
    expect(namespace.history.unexpected()).toEqual([]);
    open({ onUnmatched: "warn", execute: () => [] }).namespace.planFor(query);
    open().namespace.planFor(query);
    expect(warn.mock.calls).toHaveLength(1);
    warn.mockRestore();
  });

  it("cannot both fail and be logged", () => {
    expect(() => open({ onUnmatched: "warn", strict: true })).toThrow(/onUnmatched: .*set only one of strict and/);
  });
});

describe("a namespace", () => {
  it("numbers its requests and runs apart, and starts anew after a reset", () => {
    const { namespace } = open();
    const ids = () => [namespace.nextId("run"), namespace.nextId("req"), namespace.nextId("run")];
    expect(ids()).toEqual(["run_1", "req_1", "run_2"]);
    namespace.reset();
    expect(ids()).toEqual(["run_1", "req_1", "run_2"]);
    expect(createNamespaceState({ variationSeed: 5 }).nextId("run")).not.toBe("run_1");
  });

  it("has its runs by id and by reuse key, the oldest first", () => {
    const { namespace, add } = open();
    const [a, b, c] = [add("1"), add("2", "b"), add("3")];
    expect([...namespace.runs]).toEqual([
      ["1", a],
      ["2", b],
      ["3", c],
    ]);
    expect([namespace.runsByReuseKey("a"), namespace.runsByReuseKey("b"), namespace.runsByReuseKey("c")]).toEqual([
      [a, c],
      [b],
      [],
    ]);
    namespace.reset();
    expect([[...namespace.runs], namespace.runsByReuseKey("a")]).toEqual([[], []]);
    expect([a, b, c].map(({ record }) => record.state)).toEqual(Array(3).fill("QUERY_STATE_CANCELED"));
  });

  it("counts positions among the queued runs alone", () => {
    const { namespace, add } = open();
    const [a, b, c] = [add("1"), add("2"), add("3")];
    expect([a, b, c].map(namespace.queuePosition)).toEqual([1, 2, 3]);
    b.apply({ type: "canceled" });
    expect([a, b, c].map(namespace.queuePosition)).toEqual([1, undefined, 2]);
    a.apply({ type: "canceled" });
    expect([a, b, c].map(namespace.queuePosition)).toEqual([undefined, undefined, 1]);
  });

  it("aborts its end signal at a reset, with a new one after it, and for ever at its end", () => {
    const { namespace, add } = open();
    const first = namespace.endSignal;
    expect([first.aborted, namespace.endSignal === first]).toEqual([false, true]);
    namespace.reset();
    expect([first.aborted, namespace.endSignal.aborted]).toEqual([true, false]);
    const run = add("1");
    namespace.end();
    expect([namespace.endSignal.aborted, run.record.state]).toEqual([true, "QUERY_STATE_CANCELED"]);
    expect(add("2").record.state).toBe("QUERY_STATE_CANCELED");
  });

  it("has default rows, seeded rows, or those of a function, unless a stub has an answer", async () => {
    const rowsOf = async (options: NamespaceOptions) =>
      (await createNamespaceState(options).outcomeOf({}, query)).result?.rows;
    expect(await rowsOf({})).toHaveLength(3);
    expect(await rowsOf({ seed: 1 })).not.toEqual(await rowsOf({}));
    expect(await rowsOf({ execute: () => [{ n: 1 }], seed: 1, strict: true })).toEqual([[1]]);
    const outcome = { result: { columns: [], rows: [] } };
    expect(createNamespaceState({ strict: true }).outcomeOf({ outcome, stub: "a" }, query)).toBe(outcome);
  });

  it("that is strict fails a stub without an answer, and notes it, unless it has a seed or a function", async () => {
    const text = "when(a) has no answer; add rows, fails or sequence to it";
    const strict = createNamespaceState({ strict: true });
    expect(await strict.outcomeOf({ stub: "a" }, query)).toMatchObject({
      failure: { name: "UnexpectedStatement", message: text },
    });
    expect(strict.history.unexpected()).toEqual([text]);
    for (const options of [{ strict: true, seed: 1 }, { strict: false }, { strict: true, execute: () => [] }]) {
      const { outcomeOf, history } = createNamespaceState(options);
      expect((await outcomeOf({ stub: "a" }, query)).failure).toBeUndefined();
      expect(history.unexpected()).toEqual([]);
    }
  });

  it("that is strict notes a statement without a stub, unless a function answers it", () => {
    const problems = (options: NamespaceOptions) => {
      const { planFor, history } = createNamespaceState(options);
      planFor(query);
      return history.unexpected().length;
    };
    expect([
      problems({ strict: true }),
      problems({ strict: true, seed: 1 }),
      problems({ strict: true, execute: () => [] }),
      problems({}),
    ]).toEqual([1, 1, 0, 0]);
  });

  it("ends runs by the script of their stub, by that of the variation, or at the first poll", () => {
    const { scriptOf } = createNamespaceState({});
    expect([scriptOf({ script: { ms: 5 } }), scriptOf({})]).toEqual([{ ms: 5 }, { polls: 1 }]);
    const polls = Array.from({ length: 20 }, (_, variationSeed) =>
      createNamespaceState({ variationSeed }).scriptOf({}),
    );
    expect(new Set(polls.map((script) => JSON.stringify(script))).size).toBe(4);
  });

  it("remembers plans of descriptions while a stub violates the contract", () => {
    const { stubs, planFor, describedPlan } = createNamespaceState({});
    const described = { ...query, describes: true } as const;
    planFor(described);
    expect(describedPlan(described)).toBeUndefined();
    stubs.when("select 1").violateContract("describeQuery", { a: 1 });
    planFor(query);
    expect(describedPlan(query)).toBeUndefined();
    planFor(described);
    expect(describedPlan(described)).toMatchObject({ violations: { describeQuery: { a: 1 } } });
  });

  it("refuses an execute that is no function", () => {
    expect(() => createNamespaceState({ execute: 5 as never })).toThrow(
      new TypeError("execute: expected a function, got number"),
    );
  });
});

describe("the namespaces of a mock", () => {
  it("are found by their keys, in the order of their creation, until they are disposed of", () => {
    const registry = createRegistry();
    const a = registry.create("a", {});
    registry.create("b", {});
    expect([registry.keys(), registry.has("a"), registry.has("c"), registry.find("a"), registry.find("c")]).toEqual([
      ["a", "b"],
      true,
      false,
      a,
      undefined,
    ]);
    expect(() => registry.create("a", {})).toThrow(
      new RangeError('API key already has a namespace: "a"; use another key, or dispose of the namespace'),
    );
    registry.dispose("a");
    registry.dispose("none");
    expect([registry.keys(), a.endSignal.aborted]).toEqual([["b"], true]);
  });

  it("of an open mock exist for any key, once", () => {
    const registry = createRegistry({ strict: true });
    const found = registry.find("a");
    expect([registry.find("a"), registry.keys()]).toEqual([found, ["a"]]);
    expect(registry.forRequest(new Headers({ "x-api-key": "a" }))).toBe(found);
    expect(registry.forRequest(new Headers())).toBeUndefined();
  });
});
