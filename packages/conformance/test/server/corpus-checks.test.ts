import { expect, it } from "vitest";
import { SlowAnswer } from "../../src/server/check.ts";
import type { Case, Corpus, Request, Step } from "../../src/server/corpus.ts";
import { corpusChecks, createFixtures } from "../../src/server/corpus-checks.ts";
import { createCoverage } from "../../src/server/coverage.ts";
import { createContract } from "../../src/server/document.ts";
import type { Variables } from "../../src/server/placeholders.ts";
import { propertyChecks } from "../../src/server/properties/property-checks.ts";
import { sentMembers } from "../../src/server/request-body.ts";
import type { Session } from "../../src/server/session.ts";

const integer = { name: "result", schema: { type: "integer" } };
const contract = createContract({
  methods: [
    {
      name: "a",
      result: integer,
      examples: [
        { name: "one", params: [{ value: 1 }], result: { value: 2 } },
        { name: "two", params: [{ value: 3 }], result: { value: 4 } },
      ],
    },
    { name: "b", result: integer },
  ],
});

/** Creates a session with a server that answers with these results, and notes requests and the end of senders. */
function scripted(resultOf: (text: string) => unknown = () => 7) {
  const sent: { readonly sender: number; readonly text: string; readonly variables: Variables }[] = [];
  const ended: number[] = [];
  let senders = 0;
  const session: Session = {
    contract,
    variables: { apiKey: "k" },
    coverage: createCoverage(contract),
    createSender() {
      const sender = ++senders;
      return {
        async send(request: Request, variables: Variables) {
          const text = JSON.stringify(request.json);
          sent.push({ sender, text, variables });
          const result = resultOf(text);
          if (result instanceof Error) throw result;
          const { id, method } = request.json as { readonly id: unknown; readonly method: string };
          const reply = method === "conformance.alive" ? { error: { code: -32_601, message: "none" } } : { result };
          const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
          const answer = { status: 200, headers: { "content-type": "application/json" }, body };
          return { sent: sentMembers(Buffer.from(text)), sentAt: 0, answer, contradictions: [] };
        },
        async [Symbol.asyncDispose]() {
          ended.push(sender);
        },
      };
    },
  };
  return { session, sent, ended };
}

/** Returns a step that calls a method with an id. */
const step = (id: string, more: Partial<Step> = {}, method = "b"): Step => ({
  send: { json: { jsonrpc: "2.0", id, method, params: [] } },
  expect: { reply: { id } },
  ...more,
});
const one = (more: Partial<Case>): Case => ({
  id: "REQ-001",
  level: "MUST",
  rule: "A rule.",
  source: "a source",
  steps: [step("case")],
  ...more,
});
const corpus = (more: Partial<Corpus>): Corpus => ({ title: "a title", profile: "service", cases: [], ...more });
const idsOf = (sent: readonly { readonly text: string }[]) => sent.map(({ text }) => JSON.parse(text).id);

it("a check has the members of its case, and the profile of its corpus", () => {
  const cases = [one({}), one({ id: "REQ-002", level: "ROBUST", rule: "Another.", source: "elsewhere" })];
  expect(corpusChecks(corpus({ cases }), scripted().session)).toEqual([
    {
      id: "REQ-001",
      level: "MUST",
      rule: "A rule.",
      source: "a source",
      profile: "service",
      run: expect.any(Function),
    },
    {
      id: "REQ-002",
      level: "ROBUST",
      rule: "Another.",
      source: "elsewhere",
      profile: "service",
      run: expect.any(Function),
    },
  ]);
});

it("a fixture runs once for all cases, after its own fixtures, and gives them its captured values", async () => {
  const { session, sent, ended } = scripted();
  const fixtures = {
    outer: { given: ["inner"], steps: [step("outer", { capture: { second: "/result" } })] },
    inner: { steps: [step("inner", { capture: { first: "/id" } })] },
    unused: { steps: [step("unused")] },
  };
  const cases = [one({ given: ["outer"] }), one({ given: ["outer", "inner"] }), one({})];
  const [first, second, third] = corpusChecks(corpus({ fixtures, cases }), session);
  await Promise.all([first?.run(), second?.run()]);
  await third?.run();
  expect(idsOf(sent)).toEqual(["inner", "outer", "case", "case", "case"]);
  const captured = { apiKey: "k", first: "inner", second: 7 };
  expect(sent.map(({ variables }) => variables)).toMatchObject([
    { apiKey: "k" },
    { apiKey: "k", first: "inner" },
    captured,
    captured,
    { apiKey: "k" },
  ]);
  expect(sent[4]?.variables).not.toHaveProperty("first");
  const unique = sent.map(({ variables }) => variables.unique);
  // A fixture has the `unique` of the fixture that it needs; each case has its own.
  expect(new Set(unique).size).toBe(4);
  for (const value of unique) expect(value).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(sent.map(({ sender }) => sender)).size).toBe(5);
  expect(ended.toSorted()).toEqual([1, 2, 3, 4, 5]);
});

it("an unknown fixture is a problem of its case, and no fixtures give no values", async () => {
  const given = createFixtures(corpus({}), scripted().session);
  await expect(given(["none"])).rejects.toMatchObject({ problems: ["unknown fixture: none"] });
  expect(await given([])).toEqual({});
  const [check] = corpusChecks(corpus({ cases: [one({ given: ["none"] })] }), scripted().session);
  await expect(check?.run()).rejects.toThrow("unknown fixture: none");
});

it.each([
  ["method", ["a", "b"], ['a: HTTP 200: id: expected 1, got "case"']],
  ["example", ["a", "a"], ['a, one: HTTP 200: id: expected 1, got "case"']],
  [undefined, [undefined], ['HTTP 200: id: expected 1, got "case"']],
] as const)("a case for each %s names its round in a problem", async (each, methods, problems) => {
  const { session, sent, ended } = scripted();
  const repeated = each === undefined ? {} : { each };
  await corpusChecks(corpus({ cases: [one(repeated)] }), session)[0]?.run();
  expect(sent.map(({ variables }) => variables.method)).toEqual(methods);
  expect(sent.map(({ sender }) => sender)).toEqual(methods.map((_, index) => index + 1));
  expect(ended).toEqual(methods.map((_, index) => index + 1));
  const wrong = one({ ...repeated, steps: [step("case", { expect: { reply: { id: 1 } } })] });
  const failing = scripted();
  await expect(corpusChecks(corpus({ cases: [wrong] }), failing.session)[0]?.run()).rejects.toMatchObject({ problems });
  expect(failing.ended).toEqual([1]);
});

it("a slow answer stays one in a round", async () => {
  const { session } = scripted(() => new SlowAnswer(["no answer within 1 s"]));
  const [check] = corpusChecks(corpus({ cases: [one({ each: "method" })] }), session);
  const failure = check?.run();
  await expect(failure).rejects.toBeInstanceOf(SlowAnswer);
  await expect(failure).rejects.toMatchObject({ problems: ["a: no answer within 1 s"] });
});

it.each([
  [true, ["case", "alive"]],
  [false, ["case"]],
  [undefined, ["case"]],
])("a case with alive %s sends the calls %j, the last on a new connection", async (alive, ids) => {
  const { session, sent, ended } = scripted();
  await corpusChecks(corpus({ cases: [one(alive === undefined ? {} : { alive })] }), session)[0]?.run();
  expect(idsOf(sent)).toEqual(ids);
  expect(sent.map(({ sender }) => sender)).toEqual(ids.map((_, index) => index + 1));
  expect(ended).toEqual(ids.map((_, index) => index + 1));
});

it("a server that claims only JSON-RPC may return any result", async () => {
  const run = (profile: Corpus["profile"]) =>
    corpusChecks(corpus({ profile, cases: [one({})] }), scripted(() => "text").session)[0]?.run();
  await expect(run("json-rpc")).resolves.toBeUndefined();
  for (const profile of ["http", "openrpc", "schemas", "service"] as const)
    await expect(run(profile)).rejects.toThrow(/result/);
});

it("names the fixture that failed in the problem of a property that needs it, and sends nothing of its own", async () => {
  const { session, sent } = scripted();
  const paged = createContract({ methods: [{ name: "b", result: integer, "x-page": {} }] });
  const finishedRun = { steps: [step("run"), step("run", { expect: { reply: { error: -5 } } })] };
  const corpus: Corpus = { title: "", profile: "service", fixtures: { finishedRun }, cases: [] };
  const checks = propertyChecks([corpus], { ...session, contract: paged }, { seed: 1, tries: 5 });
  const views = checks.find(({ id }) => id === "fuzz/views");
  await expect(views?.run()).rejects.toThrow(
    /^fixture finishedRun: step 2 \(b\): HTTP 200: expected the error -5, got \{.*\}$/,
  );
  expect(sent).toHaveLength(2);
});
