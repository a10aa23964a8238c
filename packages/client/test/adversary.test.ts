import { adversaryCases, playCase } from "@quern/conformance/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectWith } from "./support/adversary-adapter.ts";

/** Cases that do not end as they should yet. */
const knownFailures: readonly string[] = [
  "a create beyond the rate",
  "a look beyond the rate",
  "a page beyond the rate",
  "a page that is a text",
  "rows without column names",
  "column names that are no array",
];

// Waits between attempts are random from zero on: here they take no time.
beforeAll(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterAll(() => void vi.restoreAllMocks());

describe.each([
  ["node:http", adversaryCases, undefined],
  // Above its calls the client is the same on any transport.
  ["fetch", adversaryCases.filter(({ query }) => !query), (...request: Parameters<typeof fetch>) => fetch(...request)],
])("over %s the client withstands", (_transport, cases, fetch) => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", async (name, one) => {
    const { outcome, problems } = await playCase(one, connectWith({ fetch }));
    if (knownFailures.includes(name)) expect(outcome).toBe("failed");
    else expect({ outcome, problems }).toEqual({ outcome: "passed", problems: [] });
  });
});
