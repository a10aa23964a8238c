import { afterAll, beforeAll, expect, it } from "vitest";
import { type Battlefield, createBattlefield } from "./hostile/attack.ts";
import { hostileStatements } from "./hostile/statements.ts";

let battlefield: Battlefield;
beforeAll(async () => {
  battlefield = await createBattlefield();
});
afterAll(() => battlefield[Symbol.asyncDispose]());

it("knows more than sixty ways to be hostile", () => {
  expect(hostileStatements.length).toBeGreaterThanOrEqual(60);
  expect(new Set(hostileStatements.map(({ name }) => name)).size).toBe(hostileStatements.length);
});

it.each(hostileStatements)("gets nowhere: $name", async (statement) => {
  const [run] = await battlefield.attack(statement);
  expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: expect.any(String) });
  expect(["USER", "RESOURCE", "DATA_SOURCE"]).toContain(run?.errorData?.category);
});
