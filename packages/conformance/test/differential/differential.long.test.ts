import type { StatementFailure } from "@quern/adapter";
import fc from "fast-check";
import { expect, it } from "vitest";
import { valueAt } from "../../src/server/json.ts";
import { type Action, actions } from "./action.ts";
import { differenceOf, send } from "./difference.ts";
import { mockSide } from "./mock-side.ts";
import { startServerSide } from "./server-side.ts";
import { type Side, sqlOf } from "./side.ts";

const wanted = 1_000;
/** Number of concurrent services, each on its own clock: most of a step is waiting. */
const lanes = 3;
/** Seed of the sequences. */
const firstSeed = Number(process.env.QUERN_SEED ?? 1);
const seedOf = (lane: number, round: number): number => firstSeed + lane * 1_000_000 + round;

/** @throws Error with the first step whose answers differ */
async function compare(sequence: readonly Action[], mock: Side, service: Side): Promise<void> {
  const difference = await differenceOf(sequence, [mock, service]);
  if (difference !== undefined) throw new Error(JSON.stringify(difference, undefined, 1));
}

it("the mock and the service behave alike for 1,000 steps", async () => {
  let steps = 0;

  async function lane(_: unknown, number: number): Promise<void> {
    await using service = await startServerSide();
    const same = fc.asyncProperty(actions, async (sequence) => {
      steps += sequence.length;
      await compare(sequence, mockSide(service.now()), service);
    });
    for (let round = 0; steps < wanted; round += 1) await fc.assert(same, { numRuns: 20, seed: seedOf(number, round) });
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  expect(steps).toBeGreaterThanOrEqual(wanted);
});

it("the mock and the service with its real engine behave alike for 100 steps", async () => {
  await using service = await startServerSide("real");
  const refused = await send(service, "describeQuery", { sql: sqlOf("fails", "first") });
  const {
    errorName: name,
    errorMessage: message,
    errorData: data,
  } = valueAt(refused, "/error/data") as InvalidQueryData;
  let steps = 0;
  // The mock does not have the engine's message for unused parameters.
  const plain = actions.map((all) => all.map((one) => (one.do === "create" ? { ...one, parameter: null } : one)));
  const same = fc.asyncProperty(plain, async (sequence) => {
    steps += sequence.length;
    await compare(sequence, mockSide(service.now(), { name, message, data }), service);
  });
  for (let round = 0; steps < 100; round += 1) await fc.assert(same, { numRuns: 2, seed: seedOf(lanes, round) });
});

interface InvalidQueryData {
  readonly errorName: string;
  readonly errorMessage: string;
  readonly errorData: StatementFailure["data"];
}
