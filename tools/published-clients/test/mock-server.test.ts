import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { testFlipsideSdk } from "../src/flipside-sdk.ts";

testFlipsideSdk(async () => {
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
  mock.when(statement.sql).rows(statement);
  mock
    .when(failing.sql)
    .fails({ errorName: failing.errorName, errorMessage: 'Referenced column "colour" not found in FROM clause!' });
  mock.when("select endless").after("1h");
  const door = await listen(mock);
  return {
    url: door.url,
    apiKey: mock.apiKey,
    statement,
    failing,
    endless: { sql: "select endless" },
    [Symbol.asyncDispose]: door.close,
  };
});
