import adminDocument from "@quern/spec/mock-admin.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { saveLedger } from "../src/files.ts";
import { createLedger, createMockServer, type Ledger, type MockServer } from "../src/index.ts";
import { listen } from "../src/listen.ts";
import { mockFixture } from "../src/vitest.ts";

/** Functions with arguments that a program without types may pass. */
type Untyped = (value: unknown) => unknown;

const when = (value: unknown) => createMockServer().when(value as string);
const fault: Untyped = (value) => createMockServer().fault("getQueryRun", value as object);
const create: Untyped = (value) => createMockServer(value as object);
const stub = () => when("select 1");

describe("a mistake of plain JavaScript is refused with the nearest valid word", () => {
  it.each<[string, Untyped, unknown, string]>([
    ["when", when, { sqll: "select 1" }, "when: unknown member sqll; did you mean sql?"],
    ["when", when, { tag: { a: "b" } }, "when: unknown member tag; did you mean tags?"],
    ["when", when, undefined, "when: expected SQL, a RegExp, an object of conditions or a function, got undefined"],
    ["when", when, null, "when: expected SQL, a RegExp, an object of conditions or a function, got null"],
    ["when", when, 7, "when: expected SQL, a RegExp, an object of conditions or a function, got 7"],
    ["when", when, { sql: undefined }, "when: invalid sql: expected a value, got undefined"],
    ["when", when, { sql: 7 }, "when: invalid sql: expected a string or a RegExp, got 7"],
    ["when", when, { tags: "a" }, 'when: invalid tags: expected an object, got "a"'],
    ["mock", create, { strcit: true }, "createMockServer: unknown member strcit; did you mean strict?"],
    ["mock", create, { strict: "yes" }, 'createMockServer: invalid strict: expected true or false, got "yes"'],
    ["mock", create, { clock: { atuo: true } }, "clock: unknown member atuo; did you mean auto?"],
    ["mock", create, { clock: { ticking: 1 } }, "clock: invalid ticking: expected true or false, got 1"],
    ["mock", create, "strict", 'createMockServer: expected an object, got "strict"'],
    ["namespace", (value) => createMockServer().namespace(value as object), { sed: 1 }, "did you mean seed?"],
    [
      "fixture",
      (value) => mockFixture(value as object)({}, { onCleanup() {} }),
      { strcit: true },
      "did you mean strict?",
    ],
    ["fault", fault, { statsu: 502 }, "fault: unknown member statsu; did you mean status?"],
    ["fault", fault, { connection: "restet" }, 'did you mean "reset"?'],
    ["fault", fault, { replyDefect: "null-ids" }, 'did you mean "null-id"?'],
    ["fault", fault, { performed: "no" }, 'fault: invalid performed: expected true or false, got "no"'],
    ["fault", fault, { headers: { "retry-after": 1 } }, "fault: invalid headers.retry-after: expected a string, got 1"],
    ["fault", fault, { error: { message: "a" } }, "fault: invalid error.code: expected an integer, got nothing"],
    ["fault", fault, undefined, "fault: expected an object, got nothing"],
    ["fault", fault, { times: 2 }, "fault: expected a member that makes a fault, such as status, connection or error"],
    ["when", when, " ", 'when: expected SQL, got " "'],
    ["mock", create, { apiKey: "" }, "createMockServer: invalid apiKey: expected at least 1 character"],
    [
      "mock",
      create,
      { clock: { auto: true, ticking: true } },
      "clock: auto and ticking exclude each other; set only one",
    ],
    ["execute", create, { execute: [] }, "execute: expected a function, got object"],
    ["ledger", (value) => createLedger(value as object), { consumr: "a" }, "createLedger: unknown member consumr"],
    ["ledger", (value) => createLedger().name("k", value as object), { tst: "a" }, "did you mean test?"],
    [
      "ledger",
      (value) => saveLedger("none.json", value as Ledger),
      createLedger(),
      "saveLedger: the value is not a ledger; pass ledger.ledger()",
    ],
    [
      "fails",
      (value) => stub().fails(value as never),
      new Error("no"),
      "fails: invalid errorMessage: expected a string",
    ],
    ["fails", (value) => stub().fails(value as never), { errorMesage: "no" }, "did you mean errorMessage?"],
    [
      "rows",
      (value) => stub().rows({ columns: [value as "a"], rows: [] }),
      { name: "a", typ: "date" },
      "did you mean type?",
    ],
    [
      "rows",
      (value) => stub().rows({ columns: [value as "a"], rows: [] }),
      { name: "a", type: "dat" },
      'rows: unknown type of column 0: "dat"; use one of ',
    ],
    [
      "scenario",
      (value) => stub().scenario(value as "a", {}),
      7,
      "scenario: invalid name: expected a string, got number",
    ],
    [
      "sequence",
      (value) => stub().sequence([value as object]),
      { row: [] },
      "sequence: unknown member row; did you mean rows?",
    ],
    ["scenario", (value) => stub().scenario("a", value as object), { newSate: "b" }, "did you mean newState?"],
  ])("%s", (_, call, value, message) => {
    expect(() => call(value)).toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }),
    );
  });

  it("a stub with two outcomes", () => {
    expect(() => stub().rows([]).fails({ errorMessage: "no" })).toThrow(
      /^fails: the stub already has rows; .*sequence/,
    );
    expect(() => stub().fails({ errorMessage: "no" }).rows([])).toThrow(/^rows: the stub already has fails/);
    expect(() =>
      stub()
        .rows([])
        .sequence([{ rows: [] }]),
    ).toThrow(/^sequence: the stub already has rows/);
    expect(() => stub().sequence([{ rows: [], fails: { errorMessage: "no" } }])).toThrow(/already has rows/);
    expect(() =>
      stub()
        .sequence([{ rows: [] }])
        .rows([]),
    ).toThrow(/^rows: the stub already has sequence/);
    expect(() => stub().after("1s").afterPolls(2)).toThrow(/^afterPolls: the stub already has after/);
    expect(() => stub().afterPolls(2).after("1s")).toThrow(/^after: the stub already has afterPolls/);
  });

  it("an unknown method", () => {
    const { fault, history } = createMockServer();
    const typo = "getQueryRunn" as "getQueryRun";
    expect(() => fault(typo, {})).toThrow(/unknown method "getQueryRunn"; did you mean getQueryRun\?/);
    expect(() => stub().violateContract(typo, {})).toThrow(/unknown method "getQueryRunn"; did you mean getQueryRun\?/);
    expect(() => history.callsOf(typo)).toThrow(/unknown method "getQueryRunn"; did you mean getQueryRun\?/);
    expect(() => history.expectCalled(typo, {}, { times: 0 })).toThrow(/unknown method "getQueryRunn"/);
    const time = { time: 0 } as object;
    expect(() => history.expectCalled("getQueryRun", {}, time)).toThrow(/unknown member time; did you mean times\?/);
  });

  it("counts and durations, as they were written", () => {
    expect(() => stub().times("2" as never)).toThrow(/^times: expected a whole number from 1, got "2"$/);
    expect(() => stub().afterPolls("3" as never)).toThrow(/^afterPolls: expected a whole number from 1, got "3"$/);
    expect(() => stub().after("30 seconds" as "30s")).toThrow(/^invalid duration "30 seconds": write .*"30s"/);
  });

  it("listening without a mock", async () => {
    await expect(listen(undefined as unknown as MockServer)).rejects.toThrow(/^listen: expected a mock server/);
  });

  it("an unknown option of listen", async () => {
    await expect(listen(createMockServer(), { prot: 0 } as object)).rejects.toThrow(/did you mean port\?/);
  });
});

it("the administration has the faults and options that a test has", () => {
  const { PlanFaultParams, CreateNamespaceParams } = adminDocument.components.schemas;
  const example = {
    connection: "normal",
    replyDefect: "missing-id",
    error: { code: 1, message: "no" },
    headers: {},
    override: {},
    delay: 0,
    times: "ever",
    performed: true,
  };
  const { apiKey: _, method: __, ...members } = PlanFaultParams.properties;
  for (const name of Object.keys(members)) {
    const value = new Map<string, unknown>(Object.entries(example)).get(name);
    expect(() => fault({ delay: 0, performed: true, [name]: value })).not.toThrow();
  }
  for (const connection of PlanFaultParams.properties.connection.enum) fault({ connection });
  for (const replyDefect of PlanFaultParams.properties.replyDefect.enum) fault({ replyDefect });
  const made: Readonly<Record<string, unknown>> = {
    apiKey: "a",
    strict: true,
    seed: 1,
    variationSeed: 1,
    maxPageBytes: 1,
    clock: {},
  };
  for (const name of Object.keys(CreateNamespaceParams.properties)) create({ [name]: made[name] });
  const mock: MockServer = createMockServer({ apiKey: "a" });
  expect(mock.apiKey).toBe("a");
});
