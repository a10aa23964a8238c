import { attackServer } from "../../../../packages/server/test/isolation/attacked-server.ts";
import type { AttackName } from "../../../../packages/server/test/isolation/attacks.ts";
import type { CallTimes } from "../../../../packages/server/test/isolation/tenant-calls.ts";
import { bounded, percentile99 } from "../measure.ts";

const SIZE = { warmUpMs: 45_000, callsMs: 15_000, listedRuns: 150_000 };
/** Least bound of creates, polls and pages, in milliseconds. */
const LEAST_BOUND_MS = 150;

/** Attacks, each alone and all at once. */
const ATTACKS: readonly (readonly AttackName[])[] = [
  ["brackets"],
  ["filters"],
  ["lists"],
  ["stalled"],
  ["brackets", "filters", "lists", "stalled"],
];

/** Measures the delays of a tenant while another one attacks the service, and the memory of the service. */
export async function attacks(): Promise<void> {
  for (const { names, quiet, attacked, growthMegabytes, reports } of await attackServer(ATTACKS, SIZE)) {
    const during = names.length === 1 ? names[0] : "all at once";
    console.log(`${during}: ${JSON.stringify(reports)}`);
    const delay = (call: keyof CallTimes, atMost: number): void => {
      const without = `${percentile99(quiet[call]).toFixed(1)} ms without`;
      bounded({ what: `  ${call}, p99 (${without})`, value: percentile99(attacked[call]), atMost, unit: " ms" });
    };
    delay("healthz", 50);
    for (const call of ["create", "poll", "page"] as const)
      delay(call, Math.max(Math.round(3 * percentile99(quiet[call])), LEAST_BOUND_MS));
    bounded({ what: "  growth of the memory of the service", value: growthMegabytes, atMost: 50, unit: " MB" });
    if (names.includes("stalled"))
      bounded({
        what: "  longest stalled connection",
        value: Number(reports.stalled?.longestMs) / 1_000,
        atMost: 60,
        unit: " s",
      });
  }
}
