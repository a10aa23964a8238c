import type { Source } from "@quern/adapter";
import { expect, it } from "vitest";
import { type Refusal, startRefusingPostgres } from "../../../duckdb/test/sources/refusing-postgres.ts";
import { createSourceKind } from "../../src/source/source-kind.ts";

/** Lists the tables of a source of a server that refuses the connection. Returns the error. */
async function refused(refusal: Refusal, { role = "quern_reader", parameters = "", more = {} } = {}) {
  const address = (await startRefusingPostgres(refusal)).replace("quern_reader", role) + parameters;
  const base: Source = {
    name: "shop",
    provider: "test",
    kind: "postgres",
    path: null,
    address,
    lowerCaseColumns: false,
  };
  const kind = createSourceKind({ secret: async () => "" });
  const source: Source = { ...base, ...more };
  const query = { source, tenantId: "t", userId: "ada", data: await kind.hold(source) };
  const error: unknown = await kind.tables?.(query, new AbortController().signal).catch((thrown: unknown) => thrown);
  await kind.close();
  return error;
}

const wrongPassword = { code: "28P01", message: 'password authentication failed for user "quern_reader"' };

it.each<[string, Refusal, string, RegExp]>([
  ["asks for a password", "scram", "", /asks for a password; give its file or variable as the password of the source$/],
  ["refuses the password", wrongPassword, "", /refuses the user or the password \(28P01\); check /],
  ["has no such database", { code: "3D000", message: "no" }, "", /the database does not exist \(3D000\); check/],
  ["has no TLS", wrongPassword, "?sslmode=require", /does not support TLS; change sslmode/],
])(
  "a server that %s is one that cannot be reached, with a cause for the operator",
  async (_, refusal, parameters, text) => {
    const error = await refused(refusal, { parameters });
    // The service tells callers `DataSourceUnavailable`, without this message.
    expect(error).toMatchObject({ name: "EngineLostError", message: expect.stringMatching(text) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:\d+\/shop: [^\n"]+$/) });
  },
);

it("does not count the refused role of one user as an outage, and does not name the role", async () => {
  for (const refusal of [wrongPassword, "scram"] as const) {
    const error = await refused(refusal, { role: "quern_{user}", more: { runAs: "user" } });
    expect(error).toMatchObject({
      failure: {
        name: "AccessDenied",
        message: "The data source shop cannot be reached in the name of the user: PostgreSQL refuses the user.",
      },
    });
  }
});
