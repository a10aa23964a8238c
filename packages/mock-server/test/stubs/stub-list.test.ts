import { describe, expect, it } from "vitest";
import type { StubDefinition } from "../../src/stubs/definition.ts";
import { createStubList } from "../../src/stubs/stub-list.ts";

const query = { sql: "select 1", parameters: null, tags: {}, dataSource: "samples" };
const message = (list: ReturnType<typeof createStubList>, sql = "select 1") =>
  list.planFor({ ...query, sql }).outcome?.failure?.message;
const failing = (errorMessage: string) => ({ errorMessage });

/** Collects the reasons that no stub matches. */
function reporter() {
  const reported: string[] = [];
  const report = (text: string) => {
    reported.push(text);
    return {};
  };
  return { reported, report };
}

describe("a list of stubs", () => {
  it("lists its stubs with their ids and runs, and forgets a deleted one", () => {
    const list = createStubList();
    list.when("select 1").fails(failing("a"));
    list.when("select 2").fails(failing("b"));
    expect(list.lastId).toBe("stub_2");
    list.planFor(query);
    list.planFor({ ...query, describes: true });
    expect(list.list()).toEqual([
      { stubId: "stub_1", match: '"select 1"', runs: 1 },
      { stubId: "stub_2", match: '"select 2"', runs: 0 },
    ]);
    expect([list.delete("stub_1"), list.delete("stub_1")]).toEqual([true, false]);
    expect(list.list().map(({ stubId }) => stubId)).toEqual(["stub_2"]);
    list.when("select 3");
    expect(list.lastId).toBe("stub_3");
  });

  it("reports stubs that answered nothing, and the newer one that did in their place", () => {
    const list = createStubList();
    list.when("select 1").fails(failing("a"));
    list.when("select 2").fails(failing("b"));
    list.when(() => {
      throw new Error("needed for no statement");
    });
    list.when(/select 1/).fails(failing("c"));
    list.when(/1/).fails(failing("d"));
    list.planFor(query);
    list.delete("stub_5");
    list.planFor(query);
    const [first, second, third] = list.unused();
    expect(list.unused()).toHaveLength(3);
    expect([first, second]).toEqual([
      'when("select 1") answered no statement, because the newer when(/1/) matched the same ones',
      'when("select 2") matched no statement',
    ]);
    expect(third).toMatch(/^when\(.*\) matched no statement$/s);
  });

  it("does not report a stub that was only described", () => {
    const list = createStubList();
    list.when("select 1").fails(failing("a"));
    list.planFor({ ...query, describes: true });
    expect(list.unused()).toEqual([]);
  });

  it("has its shared stubs from the start and after it was cleared, and reports none of them", () => {
    const shared: StubDefinition[] = [{ match: "select 1", fails: failing("shared"), times: 1 }];
    const list = createStubList(shared);
    list.when("select 2").fails(failing("own"));
    expect([message(list), message(list), message(list, "select 2")]).toEqual(["shared", undefined, "own"]);
    list.clear();
    expect([message(list), message(list, "select 2")]).toEqual(["shared", undefined]);
    expect(createStubList(shared).unused()).toEqual([]);
  });

  it("starts its scenarios anew when it is cleared", () => {
    const list = createStubList();
    const define = () => {
      list.when("read").fails(failing("empty")).scenario("s", { requiredState: "Started" });
      list.when("load").scenario("s", { newState: "loaded" });
    };
    define();
    list.planFor({ ...query, sql: "load", describes: true });
    expect(message(list, "read")).toBe("empty");
    list.planFor({ ...query, sql: "load" });
    expect(message(list, "read")).toBeUndefined();
    list.clear();
    define();
    expect(message(list, "read")).toBe("empty");
  });

  it("keeps the states of scenarios apart by their names", () => {
    const list = createStubList();
    list.when("load").scenario("other", { newState: "loaded" });
    list.when("read").fails(failing("empty")).scenario("s", { requiredState: "Started" });
    list.planFor({ ...query, sql: "load" });
    expect(message(list, "read")).toBe("empty");
  });

  it("knows if a stub violates the contract", () => {
    const list = createStubList();
    list.when("select 1").rows([]);
    expect(list.violateContract).toBe(false);
    list.when("select 2").violateContract("getQueryRun", { a: 1 });
    expect(list.violateContract).toBe(true);
  });

  it("plans no answer for a statement without a stub, or that of the caller", () => {
    const list = createStubList();
    expect(list.planFor(query)).toEqual({});
    expect(list.planFor(query, (text) => ({ stub: text }))).toEqual({
      stub: 'no stub matches "select 1"; none is defined',
    });
  });

  it("names the newest of stubs that are equally near, and both parts in which it differs", () => {
    const list = createStubList();
    const { reported, report } = reporter();
    list.when({ sql: "select 1", dataSource: "a" });
    list.when({ sql: "select 1", dataSource: "b", tags: { c: "d" } });
    list.when("select 2");
    list.planFor(query, report);
    list.when("select 1").times(2).fails(failing("x"));
    for (let run = 0; run < 3; run += 1) list.planFor(query, report);
    expect(reported).toEqual([
      expect.stringContaining(
        'the nearest is when({"sql":"select 1","dataSource":"a"}), which differs in the data source',
      ),
      expect.stringContaining(
        'the nearest is when({"sql":"select 1","dataSource":"a"}), which differs in the data source',
      ),
    ]);
  });

  it("names the stub that shares the largest part of its words with the statement", () => {
    const { reported, report } = reporter();
    const list = createStubList();
    list.when("select a from b");
    list.when("x y z u v w q r s t");
    list.when(/none/);
    list.planFor({ ...query, sql: "select a from c" }, report);
    expect(reported).toEqual([
      expect.stringContaining('the nearest is when("select a from b"), which differs in the SQL'),
    ]);
  });
});
