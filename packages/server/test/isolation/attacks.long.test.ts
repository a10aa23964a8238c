import { expect, it } from "vitest";
import { attackServer } from "./attacked-server.ts";
import type { AttackName } from "./attacks.ts";

const size = { warmUpMs: 10_000, callsMs: 4_000, listedRuns: 15_000 };
/**
 * Attacks without bounds took more than 300 MB. `npm run bench -- attacks` has the bound of 50 MB: on a busy machine, the
 * heap of a new server alone can grow by as much.
 */
const maxGrowthMegabytes = 150;

/** Each alone, and all at once, which also stalls: connections are closed after 20 s, and nothing else does more meanwhile. */
const rounds: readonly (readonly AttackName[])[] = [
  ["brackets"],
  ["filters"],
  ["lists"],
  ["brackets", "filters", "lists", "stalled"],
];

// `npm run bench -- attacks` measures the delays, too.
it("each call of another tenant is answered despite attacks, and memory stays bounded", async () => {
  for (const { names, attacked, growthMegabytes, reports } of await attackServer(rounds, size)) {
    console.log(JSON.stringify({ names, reports, growthMegabytes }));
    expect(reports.filters?.refused ?? 0, `${names}`).toBe(0);
    for (const [call, times] of Object.entries(attacked)) expect(times.length, `${names}, ${call}`).toBeGreaterThan(0);
    expect(growthMegabytes, `${names}`).toBeLessThan(maxGrowthMegabytes);
  }
});
