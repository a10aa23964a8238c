import { expect, it } from "vitest";
import { createLedger, createMockServer } from "../src/index.ts";
import { listen } from "../src/listen.ts";

const mock = createMockServer();
const stub = () => mock.when("select 1");
const definition = (members: object) => createMockServer({ stubs: [{ match: "select 1", ...members }] });

/** Each function that takes options, and values that their members cannot have. */
const functions: Readonly<Record<string, readonly [call: (options: never) => unknown, ...invalid: readonly object[]]>> =
  {
    createMockServer: [
      createMockServer,
      { clock: 1 },
      { record: 1 },
      { seed: "1" },
      { strict: 1 },
      { stubs: {} },
      { replay: 1 },
      { maxPageBytes: "1" },
      { variationSeed: "1" },
      { apiKey: 1 },
      { apiKey: "" },
      { open: 1 },
      { ledger: 1 },
    ],
    namespace: [
      mock.namespace,
      { clock: 1 },
      { record: 1 },
      { seed: "1" },
      { strict: 1 },
      { stubs: {} },
      { replay: 1 },
      { maxPageBytes: "1" },
      { variationSeed: "1" },
      { apiKey: 1 },
      { apiKey: "" },
    ],
    clock: [(clock: object) => createMockServer({ clock }), { ticking: 1 }, { auto: 1 }],
    fault: [
      (fault: object) => mock.fault("getQueryRun", fault),
      { status: "502" },
      { headers: "a" },
      { headers: { a: 1 } },
      { body: 1 },
      { connection: "closed" },
      { delay: true },
      { performed: 1 },
      { replyDefect: "none" },
      { override: 1 },
      { error: 1 },
      { error: { code: "1", message: "" } },
      { error: { code: 1.5, message: "" } },
      { error: { message: "" } },
      { error: { code: 1, message: 1 } },
      { error: { code: 1 } },
      { error: { code: 1, message: "", more: 1 } },
    ],
    when: [mock.when, { tags: 1 }, { parameters: 1 }, { dataSource: 1 }],
    fails: [(failure: never) => stub().fails(failure), { errorName: 1 }, { errorMessage: 1 }, { errorData: 1 }],
    sequence: [
      (answer: object) => stub().sequence([answer]),
      { fails: 1 },
      { after: true },
      { afterPolls: "1" },
      { times: "1" },
      { dataSourceQueryId: 1 },
    ],
    scenario: [(step: object) => stub().scenario("a", step), { requiredState: 1 }, { newState: 1 }],
    stub: [
      definition,
      { match: 1 },
      { rows: 1 },
      { fails: 1 },
      { after: true },
      { afterPolls: "1" },
      { times: "1" },
      { dataSourceQueryId: 1 },
      { sequence: 1 },
      { scenario: 1 },
      { violateContract: 1 },
    ],
    createLedger: [createLedger, { consumer: 1 }, { test: 1 }, { providerStates: 1 }],
    "ledger.name": [
      (names: object) => createLedger().name("key", names),
      { consumer: 1 },
      { test: 1 },
      { providerStates: 1 },
    ],
    expectCalled: [
      (options: object) => mock.history.expectCalled("getQueryRun", {}, options),
      { times: "1" },
      { times: 1.5 },
    ],
    listen: [
      (options: object) => listen(mock, options),
      { port: "1" },
      { host: 1 },
      { allowedHosts: "a" },
      { allowedHosts: [1] },
    ],
  };

it.each(
  Object.entries(functions).flatMap(([name, [call, ...invalid]]) =>
    invalid.map((options) => ({ name, call: call as (options: object) => unknown, options })),
  ),
)("$name refuses $options", async ({ name, call, options }) => {
  const [member] = Object.keys(options);
  await expect(async () => call(options)).rejects.toThrow(
    expect.objectContaining({
      name: "TypeError",
      message: expect.stringMatching(`^${name}: invalid ${member}\\b.*: expected `),
    }),
  );
});
