import { describe, expect, it } from "vitest";
import type { MockQuery } from "../../src/statement/query.ts";
import { condition, type Matcher } from "../../src/stubs/matcher.ts";

const query: MockQuery = { sql: "select 1", parameters: null, tags: { a: "1", b: "2" }, dataSource: "samples" };
const all = { sql: "select 2", tags: { a: "2" }, parameters: [1], dataSource: "lake" };

describe("the mismatches of a matcher", () => {
  it.each<[Matcher, Partial<MockQuery>, readonly string[]]>([
    ["select 1", {}, []],
    ["SELECT  1;", {}, []],
    ["select 2", {}, ["the SQL"]],
    [/select/g, {}, []],
    [/^elect/, {}, ["the SQL"]],
    [{ dataSource: "samples" }, {}, []],
    [all, {}, ["the SQL", "the tags", "the parameters", "the data source"]],
    [all, { describes: true }, ["the SQL", "the data source"]],
    [{ tags: { a: "1" } }, {}, []],
    [{ tags: { a: "1", c: "3" } }, {}, ["the tags"]],
    [{ tags: { toString: "1" } }, {}, ["the tags"]],
    [{ parameters: {} }, {}, []],
    [{ parameters: { a: 1 } }, {}, ["the parameters"]],
    [{ parameters: { a: 1 } }, { parameters: { a: 1, b: 2 } }, []],
    [{ parameters: { a: 1 } }, { parameters: { a: 2 } }, ["the parameters"]],
    [{ parameters: [1] }, { parameters: [1, 2] }, ["the parameters"]],
    [{ parameters: [1, 2] }, { parameters: [1, 2] }, []],
    [{ parameters: { 0: 1 } }, { parameters: [1] }, ["the parameters"]],
    [{ parameters: [] }, { parameters: {} }, ["the parameters"]],
    [() => true, {}, []],
    [() => 1 as unknown as boolean, {}, []],
    [() => undefined as unknown as boolean, {}, ["the function, which returned false"]],
  ])("%s", (matcher, changes, names) => {
    expect(condition(matcher).mismatches({ ...query, ...changes })).toEqual(names);
  });

  it("are not those of a function that returns a promise", () => {
    const { mismatches } = condition((async () => true) as unknown as Matcher);
    expect(() => mismatches(query)).toThrow(
      "when: expected a function that returns true or false, got one that returns a promise",
    );
  });
});

it.each<[Matcher, string, string | undefined]>([
  ["select 1", '"select 1"', "select 1"],
  [/a/gi, "/a/gi", undefined],
  [{ sql: /a/i, dataSource: "b" }, '{"sql":"/a/i","dataSource":"b"}', undefined],
  [{ sql: "a", tags: { b: "c" } }, '{"sql":"a","tags":{"b":"c"}}', "a"],
])("the matcher %s has the text %s, and the SQL %j", (matcher, text, sql) => {
  expect(condition(matcher)).toMatchObject({ text, sql });
});

it("a function has its source as text", () => {
  const matcher = (query: MockQuery) => query.sql === "";
  expect(condition(matcher)).toMatchObject({ text: String(matcher), sql: undefined });
});

it.each<[unknown, string]>([
  ["", 'when: expected SQL, got ""'],
  [" \n", 'when: expected SQL, got " \\n"'],
  [undefined, "when: expected SQL, a RegExp, an object of conditions or a function, got undefined"],
  [null, "when: expected SQL, a RegExp, an object of conditions or a function, got null"],
  [5, "when: expected SQL, a RegExp, an object of conditions or a function, got 5"],
  [["a"], 'when: expected SQL, a RegExp, an object of conditions or a function, got ["a"]'],
  [Symbol("a"), "when: expected SQL, a RegExp, an object of conditions or a function, got Symbol(a)"],
  [{ sql: undefined }, "when: invalid sql: expected a value, got undefined"],
  [{ tags: undefined }, "when: invalid tags: expected a value, got undefined"],
  [{ sql: 5 }, "when: invalid sql: expected a string or a RegExp, got 5"],
])("the matcher %s is refused", (matcher, message) => {
  expect(() => condition(matcher as Matcher)).toThrow(new TypeError(message));
});

it.each([{ tags: "a" }, { parameters: "a" }, { dataSource: 5 }, { tag: {} }])(
  "a matcher with the member %j is refused",
  (matcher) => {
    expect(() => condition(matcher as Matcher)).toThrow(TypeError);
  },
);
