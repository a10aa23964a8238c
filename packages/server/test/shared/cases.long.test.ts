import { it } from "vitest";
import { sharedCaseMs, sharedCases } from "./cases.ts";
import { createLocalStorage } from "./local-storage.ts";

it.each(sharedCases.map(({ name, run }) => [name, run] as const))(
  "several servers: %s",
  async (_, run) => {
    await using storage = await createLocalStorage();
    await run(storage);
  },
  sharedCaseMs,
);
