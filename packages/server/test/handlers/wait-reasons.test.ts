import { expect, it } from "vitest";
import type { Service } from "../../src/handlers/context.ts";
import { waitReasons } from "../../src/handlers/wait-reasons.ts";

const ofSlots = { ofOthers: "the slots" };

it.each<[string, string | undefined, number | undefined, number, string]>([
  ["a full disk", "the disk", 2, 2, "the disk"],
  [
    "the limit of the tenant",
    undefined,
    2,
    2,
    "The tenant executes 2 runs, its limit; the run starts when one of them ends.",
  ],
  [
    "a limit of one run",
    undefined,
    1,
    1,
    "The tenant executes 1 run, its limit; the run starts when one of them ends.",
  ],
  ["the slots below the limit", undefined, 2, 1, "the slots"],
  ["the slots without a limit", undefined, undefined, 9, "the slots"],
])("names %s as the reason why a run waits", async (_, waitReason, maxRunningRuns, executing, expected) => {
  const service = {
    disk: { waitReason },
    scheduler: { waitReasons: () => ofSlots },
    limitsOf: async () => ({ maxRunningRuns }),
    store: { runs: { executing: async () => executing } },
  } as unknown as Service;
  expect((await waitReasons("acme", service)).ofOthers).toBe(expected);
});
