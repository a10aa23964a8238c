import { expect, it } from "vitest";
import type { AttackName } from "./attacks.ts";
import { type MeasuredAttack, measureAttack } from "./measured-attack.ts";

const maxHealthzMs = 50;
/** Largest delay of the other calls: three times the quiet one, and at least this. */
const minAllowedMs = 150;
const maxGrowthMegabytes = 50;
/** Lists make garbage faster than V8 collects it: the answer to a batch has 12 MB, and the service answers two a second. */
const maxGrowthOfListsMegabytes = 250;
const maxStallMs = 60_000;

/** Checks that an attack was one. */
const checks: Readonly<Record<AttackName, (reports: MeasuredAttack["reports"]) => void>> = {
  brackets: ({ brackets }) => expect(brackets.refused).toBeGreaterThan(10),
  filters({ filters }) {
    expect(filters.answered).toBeGreaterThan(20);
    expect(filters.refused).toBe(0);
  },
  lists: ({ lists }) => expect(lists.answered).toBeGreaterThan(500),
  stalled({ stalled }) {
    expect(stalled).toMatchObject({ open: 0, closed: 920 });
    expect(stalled.longestMs).toBeLessThan(maxStallMs);
  },
};

it.each<[string, AttackName[]]>([
  ["4 MB of brackets without a key", ["brackets"]],
  ["filters that backtrack on texts of 20,000 characters", ["filters"]],
  ["batches of lists of 150,000 runs by tag", ["lists"]],
  ["stalled bodies and headers", ["stalled"]],
  ["all of them at once", ["brackets", "filters", "lists", "stalled"]],
])("another tenant is not delayed by %s", async (_, names) => {
  const measured = await measureAttack(names);
  console.log(JSON.stringify({ names, ...measured }));
  const { quiet, attacked, reports, growthMegabytes } = measured;
  for (const name of names) checks[name](reports);
  expect(attacked.healthz).toBeLessThan(maxHealthzMs);
  for (const call of ["create", "poll", "page"] as const)
    expect(attacked[call], call).toBeLessThan(Math.max(3 * quiet[call], minAllowedMs));
  expect(growthMegabytes).toBeLessThan(names.includes("lists") ? maxGrowthOfListsMegabytes : maxGrowthMegabytes);
});
