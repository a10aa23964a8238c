import { describe, expect, it } from "vitest";
import { endpointOf } from "../../src/server/endpoint.ts";
import { selectionOf } from "../../src/server/selection.ts";

const checks = ["REQ-001", "REQ-002", "REQ-010", "PAGE-001", "PAGE-1-2", "fuzz/links", "fuzz/params"].map((id) => ({
  id,
}));
const selected = (selection: Parameters<typeof selectionOf>[1]) =>
  checks.filter(selectionOf(checks, selection)).map(({ id }) => id);

describe("a selection", () => {
  it.each([
    [{}, checks.map(({ id }) => id)],
    [{ ids: ["REQ-001"] }, ["REQ-001"]],
    [{ ids: ["req-001", "PAGE-1-2"] }, ["REQ-001", "PAGE-1-2"]],
    [{ ids: ["REQ-*"] }, ["REQ-001", "REQ-002", "REQ-010"]],
    [{ ids: ["*-0*1"] }, ["REQ-001", "PAGE-001"]],
    [{ ids: ["fuzz/*"] }, ["fuzz/links", "fuzz/params"]],
    [{ groups: ["REQ"] }, ["REQ-001", "REQ-002", "REQ-010"]],
    [{ groups: ["page-1"] }, ["PAGE-1-2"]],
    [{ groups: ["Fuzz"], ids: ["REQ-010"] }, ["REQ-010", "fuzz/links", "fuzz/params"]],
  ])("of %j has %j", (selection, ids) => {
    expect(selected(selection)).toEqual(ids);
  });

  it.each<[Parameters<typeof selectionOf>[1], RegExp]>([
    [{ ids: ["REQ-003"] }, /"REQ-003"; .*REQ.* REQ-001 to REQ-010$/],
    [{ ids: ["REQ-00"] }, /"REQ-00"; .*REQ.* REQ-001 to REQ-010$/],
    [{ ids: ["page-009"] }, /"page-009"; .*PAGE.* PAGE-001 to PAGE-001$/],
    [{ ids: ["R.Q-001"] }, /"R\.Q-001"; .*such as REQ-001, fuzz\/links or PAGE-\*$/],
    [{ ids: ["EQ-001"] }, /"EQ-001"; .*such as REQ-001, fuzz\/links or PAGE-\*$/],
    [{ ids: ["(*"] }, /"\(\*"; .*such as REQ-001, fuzz\/links or PAGE-\*$/],
    [{ groups: ["requests"] }, /group "requests"; .*REQ, PAGE, PAGE-1, fuzz$/],
  ])("of %j is refused", (selection, message) => {
    expect(() => selected(selection)).toThrow(message);
    expect(() => selected(selection)).toThrow(expect.objectContaining({ name: "SelectionError" }));
  });
});

it.each([
  ["https://a.example", "https://a.example/json-rpc"],
  ["https://a.example/", "https://a.example/json-rpc"],
  ["https://a.example/v1/", "https://a.example/v1/json-rpc"],
  ["https://a.example/json-rpc", "https://a.example/json-rpc"],
])("the endpoint at %s is %s", (url, endpoint) => {
  expect(endpointOf(url)).toBe(endpoint);
});
