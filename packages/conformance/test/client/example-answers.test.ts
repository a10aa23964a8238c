import { describe, expect, it } from "vitest";
import { exampleReply } from "../../src/client/example-answers.ts";
import { adversaryCases } from "../../src/client/index.ts";
import { createContract } from "../../src/server/document.ts";
import { readDocumentSync } from "../../src/server/spec.ts";

const { methods } = createContract(readDocumentSync());
const faults = (method: string, result: unknown) => methods.get(method)?.resultProblems(result);

/** Returns the first example of a method's result. */
const exampleOf = (method: string) => methods.get(method)?.examples[0]?.result as Readonly<Record<string, object>>;

describe("the good network", () => {
  it.each([...methods.keys()])("answers %s by the document", (method) => {
    const params = { sql: "select 1", queryRunId: "a" };
    expect(faults(method, exampleReply({ id: 1, method, params }, false).result)).toEqual([]);
  });

  it.each(["getSqlStatement", "listQueryRuns", "describeQuery", "getQueryRunDownload", "listTables", "completeSql"])(
    "answers %s with the example of the document",
    (method) => {
      expect(exampleReply({ id: 1, method, params: {} }, false).result).toEqual(exampleOf(method));
    },
  );

  it.each([
    ["createQueryRun", "queryRun", { id: "run of select 1" }],
    ["getQueryRunResults", "originalQueryRun", { id: "a", rowCount: 5 }],
    ["cancelQueryRun", "canceledQueryRun", { id: "a" }],
  ])("shows in %s the run of the document's example, but for its id and its rows", (method, member, decided) => {
    const { result } = exampleReply({ id: 1, method, params: { sql: "select 1", queryRunId: "a" } }, false);
    expect(result?.[member]).toEqual({ ...exampleOf(method)[member], ...decided });
  });

  it.each(["csv", "json"])("answers pages as %s", (format) => {
    const params = { queryRunId: "a", format, page: { number: 2, size: 2 } };
    const { result } = exampleReply({ id: 1, method: "getQueryRunResults", params }, false);
    expect(faults("getQueryRunResults", result)).toEqual([]);
    const row = [3, "\u2603"];
    expect(result?.rows).toHaveLength(2);
    expect(result?.rows).toContainEqual(format === "csv" ? row : { n: 3, text: "\u2603" });
  });
});

it.each([
  [1, 5],
  [3, 2],
  [5, 1],
  [0, 0],
])("of pages of %i rows there are %i", (size, totalPages) => {
  const params = { queryRunId: "a", page: { number: 1, size } };
  const { result } = exampleReply({ id: 1, method: "getQueryRunResults", params }, false);
  expect(result?.page).toMatchObject({ currentPageSize: size, totalPages });
});

/** Cases whose answers break the document on purpose. */
const broken = new Set(["run without a state", "failed run with a malformed reason"]);

it("runs in the cases match the document", () => {
  const bodies = adversaryCases.flatMap(({ name, faults }) =>
    faults.flatMap(({ on, body }) =>
      on === "getQueryRun" && body?.includes('"queryRun":{') ? [[name, body] as const] : [],
    ),
  );
  expect(bodies.length).toBeGreaterThan(7);
  const wrong = bodies.filter(([, body]) => {
    const { result } = JSON.parse(body.replace("{id0}", "1"));
    return faults("getQueryRun", result)?.length !== 0;
  });
  expect(new Set(wrong.map(([name]) => name))).toEqual(broken);
});

it("only cases about malformed JSON have a body that is not JSON", () => {
  const isJson = (text: string) => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };
  const bodies = adversaryCases.flatMap(({ name, faults }) => faults.map(({ body }) => ({ name, body: body ?? "1" })));
  const nonEmpty = bodies.filter(({ body }) => body !== "" && !body.startsWith("<")); // neither nothing nor HTML
  const broken = nonEmpty.filter(({ body }) => !isJson(body.replaceAll(/\{\w*\}/g, "1")));
  expect(broken.map(({ name }) => name).sort()).toEqual(["anti-hijacking prefix", "byte order mark", "truncated JSON"]);
});

it("a case plays the HTTP status in its name", () => {
  const named = adversaryCases.flatMap(({ name, faults }) =>
    (name.match(/\b\d{3}\b/g) ?? []).map((status) => ({ name, status: Number(status), faults })),
  );
  expect(named.length).toBeGreaterThan(40);
  const wrong = named.filter(({ status, faults }) => !faults.some((fault) => (fault.status ?? 200) === status));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
