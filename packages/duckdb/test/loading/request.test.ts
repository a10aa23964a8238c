import { expect, it } from "vitest";
import { parseLoadRequest } from "../../src/loading/request.ts";

it.each([
  [undefined, { catalog: "shop", schema: "main" }],
  ["sales", { catalog: "shop", schema: "sales" }],
  ["lake.sales", { catalog: "lake", schema: "sales" }],
])("loads the tables of PostgreSQL into the schema of --as: %s", async (as, place) => {
  const load = await parseLoadRequest("shop", { from: "postgres://me@localhost/db", as }, "now");
  expect(load).toMatchObject({ ...place, table: null });
});
