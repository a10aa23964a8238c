import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";
import { type Caller, caller } from "../identity/callers.ts";

let server: TestServer;
let runner: Caller;
let reader: Caller;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind() });
  runner = await caller(server, { tenant: "acme", user: "ann", scopes: ["run", "cancel"] });
  reader = await caller(server, { tenant: "acme", user: "ann", scopes: ["run", "read"] });
});
afterAll(() => server[Symbol.asyncDispose]());

const secret = "4111-1111";
/** Statements whose errors have a value of a row in the text of the engine. */
const telling = [
  `select error(card) from (select '${secret.slice(0, 4)}' || '-1111' as card)`,
  `select (a || '-1111')::int from (select '${secret.slice(0, 4)}' as a)`,
  `select strptime(a || '-1111', '%d') from (select '${secret.slice(0, 4)}' as a)`,
  `with c as (pivot (select '${secret.slice(0, 4)}' || '-1111' as card, 1 as n) on card using sum(n)) select nope from c`,
];

describe.each(telling)("the error of %s", (sql) => {
  it("is shown with its text to a caller with the scope read only", async () => {
    const run = async (who: Caller) => {
      const { result } = await who.call("createQueryRun", { sql, waitSeconds: 30 });
      return JSON.parse(JSON.stringify(result?.queryRun));
    };
    const shown = await run(reader);
    expect(JSON.stringify(shown)).toContain(secret);
    const hidden = await run(runner);
    expect(JSON.stringify(hidden)).not.toContain(secret);
    const { errorName, errorData } = shown;
    expect(hidden).toMatchObject({
      state: "QUERY_STATE_FAILED",
      errorName,
      errorMessage: expect.stringMatching(
        /^\w+Error( at line \d+, column \d+)?; to see the message, use a key with the scope read\.$/,
      ),
    });
    const { candidates: _, ...place } = errorData;
    expect(hidden.errorData).toEqual(place);
  });

  it("is hidden by describeQuery, too", async () => {
    const { error } = await runner.call("describeQuery", { sql });
    expect(JSON.stringify(error ?? {})).not.toContain(secret);
  });
});

it("shows the types of columns, which can have values of rows, to a caller with the scope read only", async () => {
  const sql = `select p from (pivot (select '${secret.slice(0, 4)}' || '-1111' as card, 1 as n) on card using sum(n)) p`;
  const shown = async (who: Caller) => JSON.stringify(await who.call("createQueryRun", { sql, waitSeconds: 30 }));
  expect(await shown(reader)).toContain(secret);
  expect(await shown(runner)).toContain("QUERY_STATE_SUCCESS");
  expect(await shown(runner)).not.toContain(secret);
});

it("shows what the gate refuses to each caller", async () => {
  const { result } = await runner.call("createQueryRun", { sql: "select sleep_ms(1)", waitSeconds: 30 });
  expect(result?.queryRun).toMatchObject({
    errorMessage: "Function not allowed: sleep_ms; remove it from the statement.",
  });
});
