import type { ContractViolations, StatementMethod } from "../contract-violation/contract-violation.ts";
import { memberCheck } from "../member-check.ts";
import { boundedPattern } from "./bounded-pattern.ts";
import type { Matcher, StatementMatch } from "./matcher.ts";
import type { Answer, ScenarioStep, Stub } from "./stub.ts";

/** Conditions on a statement as JSON; all of them must hold. */
export interface MatchDefinition extends Omit<StatementMatch, "sql"> {
  readonly sql?: string;
  /** Regular expression to find in the SQL, in any letter case; excludes `sql`. A search that takes too long fails the run. */
  readonly pattern?: string;
}

/** Stub as data, for the administration API and files. */
export interface StubDefinition extends Answer {
  readonly match: string | MatchDefinition;
  readonly sequence?: readonly Answer[];
  readonly scenario?: { readonly name: string } & ScenarioStep;
  readonly violateContract?: ContractViolations;
}

/** Applies one member of a definition; the administration API reports the member if that fails. */
type ApplyMember = <T>(member: keyof StubDefinition, work: () => T) => T;

const checkDefinition = memberCheck<StubDefinition>("stub", {
  match: { type: ["string", "object"] },
  rows: { type: ["array", "object"] },
  fails: { type: "object" },
  after: { type: ["number", "string"] },
  afterPolls: { type: "number" },
  times: { type: "number" },
  dataSourceQueryId: { type: "string" },
  sequence: { type: "array" },
  scenario: { type: "object" },
  violateContract: { type: "object" },
});

/** Adds a stub by `when`. @throws TypeError, RangeError or SyntaxError for a definition that is not valid. */
export function defineStub(
  when: (matcher: Matcher) => Stub,
  definition: StubDefinition,
  apply: ApplyMember = (_, work) => work(),
): void {
  checkDefinition(definition);
  const { match, rows, fails, after, afterPolls, times, dataSourceQueryId } = definition;
  const { sequence, scenario, violateContract = {} } = definition;
  const stub = when(apply("match", () => matcherOf(match)));
  if (rows !== undefined) apply("rows", () => stub.rows(rows));
  if (fails !== undefined) apply("fails", () => stub.fails(fails));
  if (after !== undefined) apply("after", () => stub.after(after));
  if (afterPolls !== undefined) apply("afterPolls", () => stub.afterPolls(afterPolls));
  if (times !== undefined) apply("times", () => stub.times(times));
  if (dataSourceQueryId !== undefined) apply("dataSourceQueryId", () => stub.dataSourceQueryId(dataSourceQueryId));
  if (sequence !== undefined) apply("sequence", () => stub.sequence(sequence));
  if (scenario !== undefined) {
    const { name, ...step } = scenario;
    apply("scenario", () => stub.scenario(name, step));
  }
  // The stub checks the name of the method.
  for (const [method, override] of Object.entries(violateContract))
    apply("violateContract", () => stub.violateContract(method as StatementMethod, override));
}

function matcherOf(match: StubDefinition["match"]): Matcher {
  if (typeof match !== "object" || match === null || match.pattern === undefined) return match as string;
  const { sql, pattern, ...others } = match;
  if (sql !== undefined) throw new TypeError("match: expected either sql or pattern, got both");
  return { ...others, sql: boundedPattern(pattern) };
}
