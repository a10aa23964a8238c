import type { StatementFailure } from "@quern/adapter";
import { createMockServer, type MockNamespace } from "@quern/mock-server";
import { columns, rowsOfKind, type Side, scriptedFailure } from "./side.ts";

/** Adds stubs for the kinds of statements to a mock. */
export function script(mock: Pick<MockNamespace, "when">, { name, message, data }: StatementFailure): void {
  const typed = columns.map(({ name, kind, engineType }) => ({ name, type: kind, engineType }));
  mock.when(/ -- cars /).rows({ columns: typed, rows: rowsOfKind.cars });
  mock.when(/ -- empty /).rows({ columns: typed, rows: rowsOfKind.empty });
  mock.when(/ -- fails /).fails({ errorName: name, errorMessage: message, errorData: data });
  mock
    .when(/ -- held /)
    .rows({ columns: typed, rows: rowsOfKind.empty })
    .after("3650d");
}

/** Creates a mock for one sequence. */
export function mockSide(startAt: number, failure: StatementFailure = scriptedFailure): Side {
  const mock = createMockServer({ clock: { startAt } });
  script(mock, failure);
  const headers = { "content-type": "application/json", "x-api-key": mock.apiKey };
  return {
    name: "mock",
    post: async (body) => (await mock.fetch(`${mock.url}/json-rpc`, { method: "POST", headers, body })).text(),
    advance: (ms) => mock.clock.advance(ms),
  };
}
