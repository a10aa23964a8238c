import fc from "fast-check";
import { expect, it } from "vitest";
import { createContract } from "../../../src/server/document.ts";
import { batches } from "../../../src/server/properties/batches.ts";
import { anyBody, calls, notifications } from "../../../src/server/properties/bodies.ts";
import { links } from "../../../src/server/properties/links.ts";
import { acceptedParams, refusedParams } from "../../../src/server/properties/params.ts";
import { views } from "../../../src/server/properties/views.ts";
import type { Session } from "../../../src/server/session.ts";

const contract = createContract({
  methods: [
    { name: "get", params: [{ schema: { type: "object", required: ["id"], properties: { id: { type: "string" } } } }] },
    { name: "ping" },
  ],
});
const session = { contract } as Session;
const [method] = contract.methods.values();
if (method === undefined) throw new Error("the document has a method");

const sampled = <T>(values: fc.Arbitrary<T>): readonly T[] => fc.sample(values, { seed: 1, numRuns: 300 });
/** Returns the different values in ascending order. */
const distinct = (values: readonly unknown[]) =>
  [...new Set(values)].toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
const lengths = (values: readonly { readonly length: number }[]) => distinct(values.map(({ length }) => length));
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

it.each([
  [anyBody, "fuzz/bodies", "ROBUST", "robustness", "JSON-RPC 2.0 section 5"],
  [notifications, "fuzz/notifications", "MUST", "json-rpc", "JSON-RPC 2.0 section 4.1"],
  [batches, "fuzz/batches", "MUST", "json-rpc", "JSON-RPC 2.0 section 6"],
  [links, "fuzz/links", "MUST", "openrpc", "OpenRPC links"],
  [views(method), "fuzz/views", "MUST", "service", "/methods/2"],
  [acceptedParams(method), "fuzz/get/allowed", "MUST", "schemas", "JSON Schema; the method's params"],
  [refusedParams(method), "fuzz/get/excluded", "MUST", "schemas", "JSON-RPC 2.0 section 5.1; the method's params"],
] as const)("a property has its id, level, profile and source: $1", (property, id, level, profile, source) => {
  expect(property).toMatchObject({ id, level, profile, source, rule: expect.stringMatching(/^[A-Za-z].*\.$/) });
});

it("calls are valid, of each method, with ids that are numbers or texts", () => {
  const sent = sampled(calls(contract, { id: "known" }));
  expect(distinct(sent.map(({ jsonrpc }) => jsonrpc))).toEqual(["2.0"]);
  expect(distinct(sent.map((call) => call.method))).toEqual(["get", "ping"]);
  expect(distinct(sent.map(({ id }) => typeof id))).toEqual(["number", "string"]);
  for (const { method: name, params } of sent)
    expect(params).toEqual(name === "ping" ? [] : [expect.objectContaining({ id: expect.any(String) })]);
  const known = sent.filter(({ params }) => JSON.stringify(params).includes('"known"')).length;
  expect(known).toBeGreaterThan(sent.length / 4);
});

it("bodies are JSON, or damaged in a few places, or any text", () => {
  const bodies = sampled(anyBody.values(session, {}));
  const read = bodies.filter(isJson).map((body): unknown => JSON.parse(body));
  expect(read.length).toBeGreaterThan(50);
  expect(bodies.length - read.length).toBeGreaterThan(50);
  const batched = read
    .filter((value) => Array.isArray(value))
    .filter((items) => JSON.stringify(items).includes('"2.0"'));
  expect(lengths(batched)).toEqual([1, 2, 3, 4, 5]);
  const damaged = bodies.filter((body) => !isJson(body) && body.includes('"jsonrpc":"2.0"'));
  expect(damaged.length).toBeGreaterThan(10);
  for (const piece of ["\\u", "\u0000", "1e999"]) expect(damaged.some((body) => body.includes(piece))).toBe(true);
  expect(bodies.some((body) => /[^\0-\u07ff]/u.test(body))).toBe(true);
});

it("notifications are one to three calls of known and unknown methods", () => {
  const requests = sampled(notifications.values(session, {}));
  expect(lengths(requests)).toEqual([1, 2, 3]);
  const all = requests.flat();
  expect(distinct(all.map(({ jsonrpc }) => jsonrpc))).toEqual(["2.0"]);
  const unknown = all.filter((call) => !contract.methods.has(String(call.method)));
  expect(unknown.length).toBeGreaterThan(50);
  expect(unknown.every(({ params }) => Array.isArray(params))).toBe(true);
  expect(all.length - unknown.length).toBeGreaterThan(50);
});

it("batches are one to six requests with the ids 1 to 6, most of them valid", () => {
  const sent = sampled(batches.values(session, {}));
  expect(lengths(sent)).toEqual([1, 2, 3, 4, 5, 6]);
  for (const requests of sent) expect(requests.map(({ id }) => id)).toEqual(requests.map((_, index) => index + 1));
  const all = sent.flat();
  const valid = all.filter((call) => contract.methods.has(String(call.method)) && Array.isArray(call.params)).length;
  expect(valid).toBeGreaterThan(all.length / 2);
  expect(valid).toBeLessThan(all.length);
});

it("links are followed in one to twelve steps, each of which may go anywhere", () => {
  const steps = sampled(links.values(session, {}));
  expect(lengths(steps)).toHaveLength(12);
  expect([Math.min(...steps.map(({ length }) => length)), Math.max(...steps.map(({ length }) => length))]).toEqual([
    1, 12,
  ]);
  expect(distinct(steps.flat().map((step) => Object.keys(step).join(" ")))).toEqual(["from link"]);
  expect(distinct(steps.flat().map(({ from }) => from % 12))).toHaveLength(12);
});

it("views have small and large pages, both formats, up to two columns to sort by, each comparison, and groups", () => {
  const sent = sampled(views(method).values(session, {}));
  expect(distinct(sent.map(({ page }) => page.number ?? 0))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(distinct(sent.map(({ page }) => page.offset ?? 0))).toEqual(expect.arrayContaining([0, 1, 8, 9]));
  expect(distinct(sent.map(({ page }) => page.size))).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 100, 256, 500]));
  expect(distinct(sent.map(({ format }) => format))).toEqual(["csv", "json"]);
  expect([lengths(sent.map(({ sortBy }) => sortBy)), lengths(sent.map(({ filters }) => filters))]).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
  const sortBy = sent.flatMap((view) => view.sortBy);
  const groups = sent.flatMap((view) => view.filters).map((filter) => ("or" in filter ? filter.or : [filter]));
  const filters = groups.flat();
  expect(lengths(groups)).toEqual([1, 2, 3]);
  expect(distinct(sortBy.map(({ direction }) => direction))).toEqual(["asc", "desc"]);
  expect(distinct(filters.map(({ by }) => by))).toEqual(["eq", "gt", "gte", "in", "lt", "lte", "neq", "notIn"]);
  for (const indexes of [
    sortBy.map(({ column }) => column),
    filters.map(({ column }) => column),
    filters.map(({ row }) => row),
  ])
    expect(distinct(indexes.map((index) => index % 8))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it("a damaged body lacks up to three characters in the middle, and has the rest", () => {
  const { methods: all, ...rest } = createContract({ methods: [{ name: "ping" }] });
  const bodies = fc.sample(anyBody.values({ contract: { methods: all, ...rest } } as Session, {}), {
    seed: 1,
    numRuns: 3_000,
  });
  const whole = '{"jsonrpc":"2.0","method":"ping","params":[],"id":';
  const isCut = (body: string, length: number) =>
    Array.from({ length: whole.length - 10 }, (_, at) => whole.slice(0, at + 1) + whole.slice(at + 1 + length)).some(
      (text) => body.startsWith(text),
    );
  expect([1, 2, 3, 4].map((length) => bodies.some((body) => isCut(body, length)))).toEqual([true, true, true, false]);
});
