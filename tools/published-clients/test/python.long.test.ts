import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startMockServer } from "../src/mock-server.ts";
import { createPythonEnvironment } from "../src/python/environment.ts";
import { startService } from "../src/service.ts";
import type { Subject } from "../src/subject.ts";

// The package itself pins exact versions of pydantic and requests.
const environment = await createPythonEnvironment("flipside==2.1.0");
const session = fileURLToPath(new URL("../src/python/session.py", import.meta.url));

if ("lacks" in environment) {
  it.skip(`flipside 2.1.0 (Python) does not run here: the machine lacks ${environment.lacks}`); // long, as its file name says
} else {
  describe.each([
    ["the service", () => startService()],
    ["the mock server", startMockServer],
  ] as const)("flipside 2.1.0 (Python) on %s", (_, start) => {
    it("queries, pages, cancels, and raises its own errors", async () => {
      await using subject = await start();
      const outcome = await runSession(environment.python, subject);
      const { columns, rows, sql } = subject.statement;
      expect(outcome).toEqual({
        status: "QUERY_STATE_SUCCESS",
        columns,
        rows,
        records: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))),
        recordCount: rows.length,
        elapsedSeconds: expect.any(Number),
        secondPage: { rows: rows.slice(2, 4), totalRows: rows.length },
        filteredRows: rows.slice(1).reverse(),
        sql,
        emptyRows: [],
        canceledState: "QUERY_STATE_CANCELED",
        failure: expect.stringMatching(subject.failing.errorMessage),
        wrongKey: expect.stringContaining("Invalid API Key"),
      });
    });
  });
}

async function runSession(python: string, { url, apiKey, statement, empty, failing, endless }: Subject) {
  const wanted = {
    url,
    apiKey,
    statement: statement.sql,
    empty: empty.sql,
    failing: failing.sql,
    endless: endless.sql,
  };
  const { stdout } = await promisify(execFile)(python, [session, JSON.stringify(wanted)], { timeout: 120_000 });
  const outcome: unknown = JSON.parse(stdout);
  return outcome;
}
