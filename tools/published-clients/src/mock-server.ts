import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import type { Subject } from "./subject.ts";

const largeRowCount = 100_001;

/** Starts the mock server on a free port, with rows for the statements of the suites. */
export async function startMockServer(): Promise<Subject> {
  const mock = createMockServer();
  const statement = {
    sql: "select n, word from numbers",
    columns: ["n", "word"],
    rows: [
      [1, "one"],
      [2, "two"],
      [3, null],
    ],
  };
  const failing = { sql: "select colour from cars", errorName: "BinderError", errorMessage: /colour/ };
  const large = { sql: "select n from many", rowCount: largeRowCount };
  mock.when(statement.sql).rows(statement);
  mock
    .when(failing.sql)
    .fails({ errorName: failing.errorName, errorMessage: 'Referenced column "colour" not found in FROM clause!' });
  mock.when("select nothing").rows({ columns: ["n"], rows: [] });
  mock.when(large.sql).rows({ columns: ["n"], rows: Array.from({ length: largeRowCount }, (_, n) => [n]) });
  mock.when("select endless").after("1h");
  const listener = await listen(mock);
  return {
    url: listener.url,
    apiKey: mock.apiKey,
    statement,
    empty: { sql: "select nothing" },
    large,
    failing,
    endless: { sql: "select endless" },
    [Symbol.asyncDispose]: listener.close,
  };
}
