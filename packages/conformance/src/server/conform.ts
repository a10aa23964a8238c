import { type Check, problemsIn } from "./check.ts";
import type { Case, Corpus, ExpectedFailures, Profile } from "./corpus.ts";
import { corpusChecks } from "./corpus-checks.ts";
import { propertyChecks } from "./properties/properties.ts";
import type { CaseResult, Outcome, Report } from "./report.ts";
import { createSession, type Session } from "./session.ts";
import { sideBySide } from "./side-by-side.ts";
import { readCorpora, readDocument, readExpectedFailures } from "./spec.ts";

export interface ConformOptions {
  /** The endpoint, or the base URL that `/json-rpc` is added to. */
  readonly url: string;
  readonly apiKey: string;
  /** What the server claims; everything if left out. */
  readonly profiles?: readonly Profile[];
  /** All of `@quern/spec` if left out. */
  readonly corpora?: readonly Corpus[];
  /** The OpenRPC document to judge by; that of `@quern/spec` if left out. */
  readonly document?: unknown;
  /** That of `@quern/spec` if left out. */
  readonly expectedFailures?: ExpectedFailures;
  /** Which checks to run; all if left out. */
  readonly only?: (one: Pick<Case, "id" | "level">) => boolean;
  /** How often each property is tried; 25 times if left out. */
  readonly tries?: number;
  /** What the random choices of properties follow from; another one each time if left out. */
  readonly seed?: number;
  /** How long a single answer may take in milliseconds, 20000 if left out. */
  readonly timeoutMs?: number;
  /** Hears of each check as it ends. */
  readonly onResult?: (result: CaseResult) => void;
}

/** No server answers at the address. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

function outcomeOf(problems: readonly string[], isExpectedToFail: boolean): Outcome {
  if (problems.length > 0) return isExpectedToFail ? "expected-failure" : "failed";
  return isExpectedToFail ? "unexpected-pass" : "passed";
}

/** Refuses an id that names two checks, or a list of expected failures that names none. */
function checkIds(checks: readonly Check[], expectedFailures: ExpectedFailures): void {
  const known = new Set<string>();
  for (const { id } of checks) {
    if (known.has(id)) throw new Error(`two cases of the corpus are called ${id}`);
    known.add(id);
  }
  const stray = Object.keys(expectedFailures).find((id) => !known.has(id));
  if (stray !== undefined) throw new Error(`a failure is expected of ${stray}, which is no case of the corpus`);
}

/** The endpoint, where only the base URL may be given. */
export function endpointOf(url: string): string {
  return url.endsWith("/json-rpc") ? url : `${url.replace(/\/$/, "")}/json-rpc`;
}

/** @throws UnreachableError */
export async function reach(endpoint: string, session: Session): Promise<void> {
  await using sender = session.createSender();
  try {
    await sender.send({ verb: "OPTIONS" }, session.variables);
  } catch (error) {
    throw new UnreachableError(`no server answers at ${endpoint}: ${problemsIn(error).join()}`);
  }
}

/**
 * Holds a server to the corpus and to the properties of its contract, several checks at once.
 * @throws UnreachableError where nothing answers; also where the corpus or the document itself is wrong.
 */
export async function conform(options: ConformOptions): Promise<Report> {
  const { apiKey, only = () => true, profiles, tries = 25, timeoutMs = 20_000 } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const url = endpointOf(options.url);
  const corpora = options.corpora ?? (await readCorpora());
  const expectedFailures =
    options.expectedFailures ?? (options.corpora === undefined ? await readExpectedFailures() : {});
  const document = options.document ?? (await readDocument());
  const session = createSession({ endpoint: url, apiKey, document, timeoutMs });
  const checks = [
    ...corpora.flatMap((corpus) => corpusChecks(corpus, session)),
    ...propertyChecks(corpora, session, { seed, tries }),
  ];
  checkIds(checks, expectedFailures);
  await reach(url, session);
  async function resultOf(check: Check): Promise<CaseResult | undefined> {
    const { id, level, rule, source, profile } = check;
    if (profiles?.includes(profile) === false || !only(check)) return undefined;
    const startedAt = performance.now();
    const problems = await check.problems();
    const outcome = outcomeOf(problems, Object.hasOwn(expectedFailures, id));
    const durationMs = performance.now() - startedAt;
    const result = { id, profile, level, rule, source, outcome, problems, durationMs };
    options.onResult?.(result);
    return result;
  }
  const results = (await sideBySide(checks, resultOf)).filter((result) => result !== undefined);
  const isConformant = results.every(({ outcome }) => outcome === "passed" || outcome === "expected-failure");
  return { url, seed, results, coverage: session.coverage.report(), isConformant };
}
