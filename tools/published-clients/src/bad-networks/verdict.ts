import { type AdversaryCase, adversaryCases, type CaseResult, runCommand } from "@quern/conformance/client";

/** Cases that a client fails for the same reason. */
export interface Finding {
  readonly level: "must" | "should";
  /** Behavior of the client on the wire, or its reading of the answer. */
  readonly why: string;
  /** Name of each case, and the requests that the client sends in it. */
  readonly cases: Readonly<Record<string, string>>;
}

/** Cases that run at the same time: many, because most cases wait for their deadline. */
const concurrency = 12;

/** Returns the first case of each finding, and a tenth of the others. */
export function sampleOf(findings: readonly Finding[]): readonly AdversaryCase[] {
  const firsts = new Set(findings.map(({ cases }) => Object.keys(cases)[0]));
  return adversaryCases.filter(({ name }, index) => firsts.has(name) || index % 10 === 0);
}

/** Runs cases against the command of a client, and returns the verdict of each; see `verdictsOf`. */
export async function play(
  command: string,
  findings: readonly Finding[],
  played: readonly AdversaryCase[],
): Promise<Readonly<Record<string, string>>> {
  const results: CaseResult[] = [];
  const waiting = [...played];
  const worker = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      results.push(...(await runCommand({ command, cases: [one] })));
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const verdicts = verdictsOf(results, findings);
  const expected = expectedVerdicts(findings, played);
  // The clients have time limits of their own, which a busy machine can exceed once. So such a case is repeated alone.
  const cases = played.filter(({ name }) => verdicts[name] !== expected[name]);
  return { ...verdicts, ...verdictsOf(await runCommand({ command, cases }), findings) };
}

/**
 * Returns the verdict of each case: `passes`, `not-reached`, or the level of its failure with the requests of the
 * client. Where a finding says `many times`, the number depends on time and is not compared.
 */
function verdictsOf(results: readonly CaseResult[], findings: readonly Finding[]): Readonly<Record<string, string>> {
  const expected = new Map(findings.flatMap(({ cases }) => Object.entries(cases)));
  const verdict = ({ name, outcome, level, sent }: CaseResult) => {
    if (outcome !== "failed") return outcome === "passed" ? "passes" : outcome;
    const isMany = expected.get(name)?.includes("many times");
    return `${level}-fail, sent ${isMany ? wire(sent).replace(/\d+ times/, "many times") : wire(sent)}`;
  };
  return Object.fromEntries(results.map((result) => [result.name, verdict(result)]));
}

/** Tells whether a case needs requests that no published client sends: batches, or calls with a newer param. */
function isNeverReached({ faults }: AdversaryCase): boolean {
  return faults.some(({ batch, param }) => batch || param !== undefined);
}

/**
 * Returns the verdicts that follow from findings: all other cases pass, and cases that need batches or newer params are
 * not reached.
 */
export function expectedVerdicts(
  findings: readonly Finding[],
  played: readonly AdversaryCase[],
): Readonly<Record<string, string>> {
  const failing = new Map(
    findings.flatMap(({ level, cases }) =>
      Object.entries(cases).map(([name, sent]) => [name, `${level}-fail, sent ${sent}`] as const),
    ),
  );
  return Object.fromEntries(
    played.map((one) => [one.name, failing.get(one.name) ?? (isNeverReached(one) ? "not-reached" : "passes")]),
  );
}

/** Formats requests as text, with a count of equal neighbors. */
function wire(sent: readonly string[]): string {
  const starts = sent.flatMap((one, index) => (one === sent[index - 1] ? [] : [index]));
  const texts = starts.map((start, index) => {
    const times = (starts[index + 1] ?? sent.length) - start;
    return times === 1 ? sent[start] : `${sent[start]} ${times} times`;
  });
  return texts.join(", ") || "nothing";
}
