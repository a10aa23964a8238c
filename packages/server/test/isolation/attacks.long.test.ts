import { expect, it } from "vitest";
import { attackServer } from "./attacked-server.ts";
import type { AttackName, Report } from "./attacks.ts";

const callsMs = 8_000;
const maxGrowthMegabytes = 50;

/** Checks that an attack was one. */
const checks: Readonly<Record<AttackName, (report: Report) => void>> = {
  brackets: ({ refused }) => expect(refused).toBeGreaterThan(10),
  filters({ answered, refused }) {
    expect(answered).toBeGreaterThan(10);
    expect(refused).toBe(0);
  },
  lists: ({ answered }) => expect(answered).toBeGreaterThan(300),
  stalled: (report) => expect(report).toMatchObject({ open: 0, closed: 920 }),
};

// `npm run bench -- attacks` measures the delays.
it.each<[string, AttackName[], number]>([
  ["4 MB of brackets without a key", ["brackets"], 4_000],
  ["filters that backtrack on texts of 20,000 characters", ["filters"], 4_000],
  ["batches of lists of 150,000 runs by tag", ["lists"], 4_000],
  ["stalled bodies and headers", ["stalled"], 4_000],
  // Together they come close to the bound, so the growth of a new heap must not count.
  ["all of them at once", ["brackets", "filters", "lists", "stalled"], 45_000],
])("each call of another tenant is answered despite %s, and memory stays bounded", async (_, names, warmUpMs) => {
  const { attacked, growthMegabytes, reports } = await attackServer(names, { warmUpMs, callsMs });
  console.log(JSON.stringify({ names, reports, growthMegabytes }));
  for (const name of names) checks[name](reports[name]);
  for (const [call, times] of Object.entries(attacked)) expect(times.length, call).toBeGreaterThan(0);
  expect(growthMegabytes).toBeLessThan(maxGrowthMegabytes);
});
