import { expect, it } from "vitest";
import { attackServer } from "./attacked-server.ts";
import type { AttackName } from "./attacks.ts";

const callsMs = 8_000;
/**
 * Attacks without bounds took more than 300 MB. `npm run bench -- attacks` has the bound of 50 MB: on a busy machine, the
 * heap of a new server alone can grow by as much.
 */
const maxGrowthMegabytes = 150;

// `npm run bench -- attacks` measures the delays, too.
it.each<[string, AttackName[], number]>([
  ["4 MB of brackets without a key", ["brackets"], 4_000],
  ["filters that backtrack on texts of 20,000 characters", ["filters"], 4_000],
  ["batches of lists of 150,000 runs by tag", ["lists"], 4_000],
  ["stalled bodies and headers", ["stalled"], 4_000],
  // The growth of a new heap must not count.
  ["all of them at once", ["brackets", "filters", "lists", "stalled"], 45_000],
])("each call of another tenant is answered despite %s, and memory stays bounded", async (_, names, warmUpMs) => {
  const { attacked, growthMegabytes, reports } = await attackServer(names, { warmUpMs, callsMs });
  console.log(JSON.stringify({ names, reports, growthMegabytes }));
  expect(reports.filters?.refused ?? 0).toBe(0);
  for (const [call, times] of Object.entries(attacked)) expect(times.length, call).toBeGreaterThan(0);
  expect(growthMegabytes).toBeLessThan(maxGrowthMegabytes);
});
