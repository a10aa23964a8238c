import type { AdversaryCase } from "./case.ts";
import { adversaryCases } from "./cases.ts";
import { commandRunner } from "./command.ts";
import type { CaseResult } from "./report.ts";
import { type ConnectClient, noRequest, runCase, runCaseWith } from "./run-case.ts";

/** Factor of the deadline of a second try. */
const patience = 20;

/**
 * Runs a case. On a loaded machine, a short deadline can pass before the client has sent its request, which says nothing
 * about the client: such a case runs once more, with a longer deadline.
 */
async function runPatiently(one: AdversaryCase, run: (one: AdversaryCase) => Promise<CaseResult>): Promise<CaseResult> {
  const result = await run(one);
  if (one.timeoutMs === undefined || !result.problems.includes(noRequest)) return result;
  return run({ ...one, timeoutMs: patience * one.timeoutMs });
}

/** Runs cases with a JavaScript client, one after another. @param cases @default `adversaryCases` */
export async function runAdversary(
  connect: ConnectClient,
  cases: readonly AdversaryCase[] = adversaryCases,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runPatiently(one, (each) => runCase(each, connect)));
  return results;
}

export interface CommandOptions {
  /** Command that a shell starts for each case; see `commandRunner`. */
  readonly command: string;
  /** Cases to run. @default `adversaryCases` */
  readonly cases?: readonly AdversaryCase[];
  /** Name of a case -> reason that it may fail. A listed case that passes fails the run. @default {} */
  readonly expectedFailures?: Readonly<Record<string, string>>;
}

/**
 * Runs cases with a client in any language, one after another.
 * @throws CommandError if the command cannot be started, Error if `expectedFailures` names an unknown case
 */
export async function runCommand(options: CommandOptions): Promise<readonly CaseResult[]> {
  const { command, cases = adversaryCases, expectedFailures = {} } = options;
  const unknown = Object.keys(expectedFailures).find((name) => !adversaryCases.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Error(`unknown case in expectedFailures: ${JSON.stringify(unknown)}; correct the name or remove it`);
  const runner = commandRunner(command);
  const results: CaseResult[] = [];
  for (const one of cases) {
    const declared = { ...one, endings: one.endings.map(withoutDeclaredCodes) };
    const result = await runPatiently(declared, (each) => runCaseWith(each, runner));
    results.push(Object.hasOwn(expectedFailures, one.name) ? expectedToFail(result) : result);
  }
  return results;
}

/**
 * Replaces `undeclared` by `rpc`: a client that does not know the OpenRPC document cannot tell declared codes from
 * other ones.
 */
function withoutDeclaredCodes(ending: string): string {
  return ending.replaceAll("undeclared", "rpc");
}

function expectedToFail(result: CaseResult): CaseResult {
  return { ...result, outcome: result.outcome === "passed" ? "unexpected-pass" : "expected-failure" };
}
