import { createClient, QuernError, query } from "@quern/client";
import { describe, expect, it } from "vitest";
import { forEachFault } from "../../src/index.ts";

const rows = [{ n: 1 }, { n: 2 }];

describe("our client", () => {
  forEachFault(({ name, recoverable, planned, mock }) => {
    it.concurrent(`${recoverable ? "gets its rows despite" : "is right or says what is wrong with"} ${name}`, async () => {
      mock.when("select").rows(rows);
      // Short, where nothing but the deadline ends a silence.
      const timeoutMs = recoverable ? 10_000 : 100;
      const found: unknown[] = [];
      let failure: unknown;
      try {
        const result = await query(createClient({ ...mock, timeoutMs }), { sql: "select" }, { timeoutMs });
        for await (const row of result.rows()) found.push(row);
      } catch (error) {
        failure = error;
      }
      expect(planned.played).toBe(1);
      if (recoverable || failure === undefined) expect([found, failure]).toEqual([rows, undefined]);
      else expect(failure).toBeInstanceOf(QuernError);
    });
  });
});

it("has the errors of the contract only where a method declares them, and other methods where asked for", () => {
  const names: string[] = [];
  forEachFault(({ name }) => names.push(name), { methods: ["getQueryRunResults", "listQueryRuns"] });
  expect(names).toContain("getQueryRunResults: error QueryRunResultsExpired");
  expect(names).not.toContain("listQueryRuns: error QueryRunResultsExpired");
  expect(names).toContain("listQueryRuns: an empty body");
  expect(new Set(names).size).toBe(names.length);
});
