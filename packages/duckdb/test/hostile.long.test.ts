import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Battlefield, createBattlefield, expectOutcome } from "./hostile/attack.ts";
import type { HostileStatement } from "./hostile/hostile-statement.ts";
import { bombs, hostileStatements } from "./hostile/statements.ts";

it("knows more than sixty ways to be hostile", () => {
  expect(hostileStatements.length).toBeGreaterThanOrEqual(60);
  expect(new Set(hostileStatements.map(({ name }) => name)).size).toBe(hostileStatements.length);
});

/** Bombs that only the limit of time ends, and so run at the same time. */
const endless = ["recurses without end", "computes without looking up", "sleeps", "joins all with all"];
const isEndless = ({ name }: HostileStatement): boolean => endless.includes(name);

/** Bombs that the gate admits: without it, the same limits end them. */
const admitted = [
  "makes a list of a thousand million",
  "makes a text of four thousand million",
  "aggregates into lists",
  "joins all with all",
  "recurses without end",
  "plans as many unions as a statement has room for",
  "sorts more than its share of the disk",
  "computes without looking up",
  "writes without end",
];
const isAdmitted = ({ name }: HostileStatement): boolean => admitted.includes(name);

/** Returns statements that run at the same time. Those that use up another limit run alone. */
const groupsOf = (some: readonly HostileStatement[]) =>
  [
    some.filter(isEndless),
    ...some.filter((bomb) => bombs.includes(bomb) && !isEndless(bomb)).map((bomb) => [bomb]),
    ...inFours(some.filter((each) => !bombs.includes(each))),
  ].map((statements) => ({ statements, names: statements.map(({ name }) => name).join("; ") }));

function inFours(statements: readonly HostileStatement[]): readonly (readonly HostileStatement[])[] {
  if (statements.length === 0) return [];
  return [statements.slice(0, 4), ...inFours(statements.slice(4))];
}

describe.each([
  ["gated", groupsOf(hostileStatements)],
  ["ungated", groupsOf(hostileStatements.filter((each) => !isAdmitted(each)))],
] as const)("%s", (gate, groups) => {
  let battlefield: Battlefield;
  beforeAll(async () => {
    battlefield = await createBattlefield(gate, 6);
  });
  afterAll(() => battlefield[Symbol.asyncDispose]());

  it.each(groups)("gets nowhere: $names", async ({ statements }) => {
    const runs = await battlefield.attack(...statements);
    for (const [index, statement] of statements.entries()) {
      expectOutcome(gate, statement, runs[index]);
      if (isAdmitted(statement))
        expect(["StatementNotAllowed", "ParserError"], statement.name).not.toContain(runs[index]?.errorName);
    }
  });
});
