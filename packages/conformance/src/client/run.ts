import type { AdversaryCase } from "./case.ts";
import { adversaryCases } from "./cases.ts";
import { type ConnectClient, playCase } from "./play.ts";
import type { CaseResult } from "./report.ts";

/** Plays cases against a client one after another, by default all of them. */
export async function runAdversary(
  connect: ConnectClient,
  cases: readonly AdversaryCase[] = adversaryCases,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await playCase(one, connect));
  return results;
}
