import { listen } from "@quern/mock-server/listen";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conform, formatReport } from "../../src/index.ts";
import { createConformingMock } from "../stubs.ts";
import { listMutants } from "./list-mutants.ts";
import { pageMutants } from "./page-mutants.ts";
import { type Mutation, startProxy } from "./proxy.ts";
import { runMutants } from "./run-mutants.ts";
import { valueMutants } from "./value-mutants.ts";

const mutants = [...pageMutants, ...valueMutants, ...runMutants, ...listMutants];

const apiKey = "a key of the tests";
const times = 2;

let service: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  service = await listen(createConformingMock({ apiKey }));
});
afterAll(() => service.close());

/** Tests the service behind a proxy by the checks with these ids. */
async function reportOf(mutation: () => Mutation, ids: readonly string[], seed: number) {
  await using proxy = await startProxy(service.url, mutation);
  return await conform({ url: proxy.url, apiKey, ids, seed });
}

describe("the kit on a service behind a proxy", () => {
  it("finds nothing if the proxy changes nothing", async () => {
    const ids = [...new Set(mutants.map(({ caughtBy }) => caughtBy)), "fuzz/views"];
    const report = await reportOf(() => ({}), ids, 1);
    expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
  });

  it.each(mutants)(`catches a server that $name, by $caughtBy in ${times} of ${times} runs`, async (mutant) => {
    const outcomes: (string | undefined)[] = [];
    for (let seed = 1; seed <= times; seed++) {
      const { results } = await reportOf(mutant.mutation, [mutant.caughtBy], seed);
      outcomes.push(results[0]?.outcome);
    }
    expect(outcomes).toEqual(Array.from({ length: times }, () => "failed"));
  });
});
