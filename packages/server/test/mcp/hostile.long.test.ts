import { afterAll, beforeAll, expect, it } from "vitest";
import { type Battlefield, createBattlefield, forbidden } from "../../../duckdb/test/hostile/attack.ts";
import { hostileStatements } from "../../../duckdb/test/hostile/statements.ts";
import { connectAgent } from "./agents.ts";

let battlefield: Battlefield;
beforeAll(async () => {
  battlefield = await createBattlefield("gated", 4);
});
afterAll(() => battlefield[Symbol.asyncDispose]());

it("refuses each hostile statement of an agent, shows nothing, and stays alive", async () => {
  const { call, output } = await connectAgent(battlefield.server.url);
  for (const { name, sql } of hostileStatements) {
    const { isError, structuredContent, text } = await call("query", { sql: sql(battlefield.places) });
    expect({ name, isError, structuredContent }).toEqual({ name, isError: true, structuredContent: undefined });
    expect(text, name).not.toMatch(forbidden);
  }
  expect(await output("query", { sql: "select 1" })).toMatchObject({ rows: [[1]] });
  await battlefield.attack(); // no file has changed, and another tenant can run a statement
});
