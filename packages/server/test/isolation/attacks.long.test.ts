import { expect, it } from "vitest";
import { attackServer } from "./attacked-server.ts";
import type { AttackName, Report } from "./attacks.ts";

const callsMs = 8_000;
const maxGrowthMegabytes = 50;
/** Lists make garbage faster than V8 collects it: the answer to a batch has 12 MB, and the service answers two a second. */
const maxGrowthOfListsMegabytes = 250;

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
it.each<[string, AttackName[]]>([
  ["4 MB of brackets without a key", ["brackets"]],
  ["filters that backtrack on texts of 20,000 characters", ["filters"]],
  ["batches of lists of 150,000 runs by tag", ["lists"]],
  ["stalled bodies and headers", ["stalled"]],
  ["all of them at once", ["brackets", "filters", "lists", "stalled"]],
])("each call of another tenant is answered despite %s, and memory stays bounded", async (_, names) => {
  const { attacked, growthMegabytes, reports } = await attackServer(names, callsMs);
  console.log(JSON.stringify({ names, reports, growthMegabytes }));
  for (const name of names) checks[name](reports[name]);
  for (const [call, times] of Object.entries(attacked)) expect(times.length, call).toBeGreaterThan(0);
  expect(growthMegabytes).toBeLessThan(names.includes("lists") ? maxGrowthOfListsMegabytes : maxGrowthMegabytes);
});
