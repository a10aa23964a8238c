import { memberCheck } from "../member-check.ts";
import type { UnsafeMethod, Untruths } from "../unsafe/untruth.ts";
import type { Matcher, StatementMatch } from "./matcher.ts";
import type { Answer, ScenarioStep, Stub } from "./stub.ts";

/** Conditions on a statement, as JSON has them. */
export interface MatchDefinition extends Omit<StatementMatch, "sql"> {
  readonly sql?: string;
  /** Regular expression that is found in the SQL, in any letter case. Not together with `sql`. */
  readonly pattern?: string;
}

/** Stub as data, as the administration and files have it. */
export interface StubDefinition extends Answer {
  readonly match: string | MatchDefinition;
  readonly sequence?: readonly Answer[];
  readonly scenario?: { readonly name: string } & ScenarioStep;
  readonly unsafe?: Untruths;
}

/** Runs the work that a member may fail; the administration reports the member. */
type Use = <T>(member: keyof StubDefinition, work: () => T) => T;

const checkDefinition = memberCheck<StubDefinition>("stub", {
  match: { type: ["string", "object"] },
  rows: { type: ["array", "object"] },
  fails: { type: "object" },
  after: { type: ["number", "string"] },
  afterPolls: { type: "number" },
  times: { type: "number" },
  sequence: { type: "array" },
  scenario: { type: "object" },
  unsafe: { type: "object" },
});

/** Adds a stub by `when`. @throws TypeError or RangeError for what a stub refuses. */
export function defineStub(
  when: (matcher: Matcher) => Stub,
  definition: StubDefinition,
  use: Use = (_, work) => work(),
): void {
  checkDefinition(definition);
  const { match, rows, fails, after, afterPolls, times, sequence, scenario, unsafe = {} } = definition;
  const stub = when(use("match", () => matcherOf(match)));
  if (rows !== undefined) use("rows", () => stub.rows(rows));
  if (fails !== undefined) use("fails", () => stub.fails(fails));
  if (after !== undefined) use("after", () => stub.after(after));
  if (afterPolls !== undefined) use("afterPolls", () => stub.afterPolls(afterPolls));
  if (times !== undefined) use("times", () => stub.times(times));
  if (sequence !== undefined) use("sequence", () => stub.sequence(sequence));
  if (scenario !== undefined) {
    const { name, ...step } = scenario;
    use("scenario", () => stub.scenario(name, step));
  }
  // The stub checks the name of the method.
  for (const [method, change] of Object.entries(unsafe))
    use("unsafe", () => stub.unsafe(method as UnsafeMethod, change));
}

function matcherOf(match: StubDefinition["match"]): Matcher {
  if (typeof match !== "object" || match === null || match.pattern === undefined) return match as string;
  const { sql, pattern, ...others } = match;
  if (sql !== undefined) throw new TypeError("match: expected either sql or pattern, got both");
  return { ...others, sql: new RegExp(pattern, "i") };
}
