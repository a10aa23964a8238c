import type { AdversaryCase } from "./case.ts";
import { adversaryCases } from "./cases.ts";
import { commandRunner } from "./command.ts";
import type { CaseResult } from "./report.ts";
import { type ConnectClient, runCase, runCaseWith } from "./run-case.ts";

/** Plays cases against a client one after another, by default all of them. */
export async function runAdversary(
  connect: ConnectClient,
  cases: readonly AdversaryCase[] = adversaryCases,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runCase(one, connect));
  return results;
}

export interface CommandOptions {
  /** Command that a shell starts for each case; see `commandRunner`. */
  readonly command: string;
  /** By default all. */
  readonly cases?: readonly AdversaryCase[];
  /** Name of a case -> why it may fail. A listed case that passes fails the run. */
  readonly expectedFailures?: Readonly<Record<string, string>>;
}

/** Plays cases against a client in any language, one after another. @throws CommandError where the command cannot be started; also where a listed name is not a case */
export async function runCommand(options: CommandOptions): Promise<readonly CaseResult[]> {
  const { command, cases = adversaryCases, expectedFailures = {} } = options;
  const stray = Object.keys(expectedFailures).find((name) => !adversaryCases.some((one) => one.name === name));
  if (stray !== undefined) throw new Error(`a failure is expected of ${stray}, which is no case`);
  const runner = commandRunner(command);
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await runCaseWith({ ...one, endings: one.endings.map(withoutTable) }, runner);
    results.push(Object.hasOwn(expectedFailures, one.name) ? expected(result) : result);
  }
  return results;
}

/** A client without the document cannot tell a declared code from another one. */
function withoutTable(ending: string): string {
  return ending.replaceAll("undeclared", "rpc");
}

function expected(result: CaseResult): CaseResult {
  return { ...result, outcome: result.outcome === "passed" ? "unexpected-pass" : "expected-failure" };
}
