import { expect, it } from "vitest";
import { createCoverage } from "../../src/server/coverage.ts";
import { createContract } from "../../src/server/document.ts";
import { sentMembers } from "../../src/server/request-body.ts";

const states = ["WAITING", "DONE", "LOST"];
const contract = createContract({
  methods: [
    {
      name: "poll",
      params: [],
      result: {
        name: "answer",
        schema: {
          anyOf: [
            { $ref: "#/components/schemas/Run" },
            { type: "object", properties: { note: { type: ["string", "null"] } } },
          ],
        },
      },
      errors: [{ code: -32001, message: "Gone" }],
    },
  ],
  components: {
    schemas: {
      Run: {
        type: "object",
        properties: {
          state: { enum: states },
          parts: { type: "array", items: { type: "object", properties: { size: { type: "number" } } } },
        },
      },
    },
  },
});

function observe(...results: readonly unknown[]) {
  const coverage = createCoverage(contract);
  for (const [at, reply] of results.entries()) {
    const text = JSON.stringify({ jsonrpc: "2.0", id: at, ...Object(reply) });
    const sent = sentMembers(Buffer.from(`{"jsonrpc":"2.0","id":${at},"method":"poll"}`));
    const answer = { status: 200, headers: {}, body: Buffer.from(text) };
    coverage.observe({ sent, sentAt: 0, answer, contradictions: [] });
  }
  return coverage.report();
}

it("lists the members of each alternative, and marks those that an answer has", () => {
  const members = ["Run.state", "Run.parts", "Run.parts.size", "poll.note"];
  expect(observe().members).toEqual({ seen: [], missing: members });
  expect(observe({ result: { state: "DONE" } }).members.seen).toEqual(["Run.state"]);
  expect(observe({ result: { note: "x" } }).members.seen).toEqual(["poll.note"]);
  expect(observe({ result: { parts: [{}, { size: 1 }] } }).members.seen).toEqual(["Run.parts", "Run.parts.size"]);
  expect(observe({ result: { note: null } }).members.seen).toEqual([]);
});

it("marks codes and methods", () => {
  expect(observe({ error: { code: -32001, message: "gone" } })).toMatchObject({
    methods: { seen: ["poll"], missing: [] },
    codes: { seen: ["poll -32001"], missing: [] },
  });
});

it("marks neither what another request is answered, nor an unknown reply", () => {
  const coverage = createCoverage(contract);
  const sent = sentMembers(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"poll"}'));
  for (const text of ['{"id":2,"result":{"note":"x"}}', '{"result":{"note":"x"}}']) {
    coverage.observe({
      sent,
      sentAt: 0,
      answer: { status: 200, headers: {}, body: Buffer.from(text) },
      contradictions: [],
    });
  }
  expect(coverage.report()).toMatchObject({
    methods: { seen: [], missing: ["poll"] },
    codes: { seen: [], missing: ["poll -32001"] },
    members: { seen: [] },
  });
});

it("visits the first 20 items of a list", () => {
  const parts = (empty: number) => [...Array.from({ length: empty }, () => ({})), { size: 1 }];
  expect(observe({ result: { parts: parts(19) } }).members.seen).toEqual(["Run.parts", "Run.parts.size"]);
  expect(observe({ result: { parts: parts(20) } }).members.seen).toEqual(["Run.parts"]);
});

it.each([
  ["the enum with all final states", { enum: states }, ["WAITING", "DONE", "LOST"]],
  ["the final states, if no enum has all of them", { enum: ["WAITING", "DONE"] }, ["DONE", "LOST"]],
  ["the final states, if there is no enum", { enum: "DONE LOST" }, ["DONE", "LOST"]],
])("has the states of runs: %s", (_, state, names) => {
  const polled = createContract({
    methods: [
      {
        name: "poll",
        "x-poll": { request: { id: "/id" }, result: { state: "/state" }, final: ["DONE", "LOST"] },
        result: { schema: { $ref: "#/components/schemas/Run" } },
      },
    ],
    components: {
      schemas: { Run: { type: "object", properties: { state, next: { $ref: "#/components/schemas/Run" } } } },
    },
  });
  const coverage = createCoverage(polled);
  expect(coverage.report()).toMatchObject({
    states: { seen: [], missing: names },
    members: { missing: ["Run.state", "Run.next"] },
  });
  const sent = sentMembers(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"poll"}'));
  const body = Buffer.from('{"id":1,"result":{"state":"DONE","next":{"state":"OTHER"}}}');
  coverage.observe({ sent, sentAt: 0, answer: { status: 200, headers: {}, body }, contradictions: [] });
  expect(coverage.report().states).toEqual({ seen: ["DONE"], missing: names.filter((name) => name !== "DONE") });
});
