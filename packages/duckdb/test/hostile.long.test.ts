import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Battlefield, createBattlefield, expectOutcome } from "./hostile/attack.ts";
import { hostileStatements } from "./hostile/statements.ts";

it("knows more than sixty ways to be hostile", () => {
  expect(hostileStatements.length).toBeGreaterThanOrEqual(60);
  expect(new Set(hostileStatements.map(({ name }) => name)).size).toBe(hostileStatements.length);
});

describe.each(["gated", "ungated"] as const)("%s", (gate) => {
  let battlefield: Battlefield;
  beforeAll(async () => {
    battlefield = await createBattlefield(gate, 10);
  });
  afterAll(() => battlefield[Symbol.asyncDispose]());

  it.each(hostileStatements)("gets nowhere: $name", async (statement) => {
    const [run] = await battlefield.attack(statement);
    expectOutcome(gate, statement, run);
  });
});
