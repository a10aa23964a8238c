import { type CaseResult, type Check, type Outcome, problemsIn, SlowAnswer } from "./check.ts";
import type { Case, Corpus, ExpectedFailures, Profile } from "./corpus.ts";
import { corpusChecks } from "./corpus-checks.ts";
import { checkEndpoint, endpointOf } from "./endpoint.ts";
import { propertyChecks } from "./properties/property-checks.ts";
import type { Report } from "./report.ts";
import { selectionOf } from "./selection.ts";
import { createSession } from "./session.ts";
import { readCorpora, readDocument, readExpectedFailures } from "./spec.ts";

export interface ConformOptions {
  /** The endpoint, or the base URL that `/json-rpc` is added to. */
  readonly url: string;
  readonly apiKey: string;
  /** Profiles that the server claims. @default all */
  readonly profiles?: readonly Profile[];
  /** All of `@quern/spec` if left out. */
  readonly corpora?: readonly Corpus[];
  /** The OpenRPC document to judge by; that of `@quern/spec` if left out. */
  readonly document?: unknown;
  /** That of `@quern/spec` if left out. */
  readonly expectedFailures?: ExpectedFailures;
  /** Which checks to run; all if left out. */
  readonly only?: (one: Pick<Case, "id" | "level">) => boolean;
  /** Ids of the checks to run, where `*` stands for any text. @default all */
  readonly ids?: readonly string[];
  /** Groups of the checks to run: what their ids have before the last `-` or the first `/`, such as `PAGE` or `fuzz`. */
  readonly groups?: readonly string[];
  /** Number of tries of each property. @default 25 */
  readonly tries?: number;
  /** Seed of the random choices of properties. @default another one each time */
  readonly seed?: number;
  /** Longest time of a single answer in milliseconds. A slower one makes its check inconclusive. @default 20000 */
  readonly timeoutMs?: number;
  /** Hears of each check as it ends. */
  readonly onResult?: (result: CaseResult) => void;
}

/** Profiles of a server whose results are those of the document. */
const profilesOfResults: ReadonlySet<Profile> = new Set(["openrpc", "schemas", "service"]);

async function outcomeOf(check: Check, isExpectedToFail: boolean): Promise<Pick<CaseResult, "outcome" | "problems">> {
  try {
    await check.run();
    return { outcome: isExpectedToFail && !check.isProperty ? "unexpected-pass" : "passed", problems: [] };
  } catch (error) {
    const failure: Outcome = isExpectedToFail ? "expected-failure" : "failed";
    return { outcome: error instanceof SlowAnswer ? "inconclusive" : failure, problems: problemsIn(error) };
  }
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

/**
 * Holds a server to the corpus and to the properties of its contract, several checks at once.
 * @throws UnreachableError, ApiKeyError where no check can be made, SelectionError where ids or groups name none; also where the
 * corpus or the document itself is wrong.
 */
export async function conform(options: ConformOptions): Promise<Report> {
  const { apiKey, only = () => true, profiles, tries = 25, timeoutMs = 20_000 } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const url = endpointOf(options.url);
  const corpora = options.corpora ?? (await readCorpora());
  const expectedFailures =
    options.expectedFailures ?? (options.corpora === undefined ? await readExpectedFailures() : {});
  const document = options.document ?? (await readDocument());
  const comparesRuns = profiles === undefined || profiles.some((profile) => profilesOfResults.has(profile));
  const session = createSession({ endpoint: url, apiKey, document, timeoutMs, comparesRuns });
  const checks = [
    ...corpora.flatMap((corpus) => corpusChecks(corpus, session)),
    ...propertyChecks(corpora, session, { seed, tries }),
  ];
  checkIds(checks, expectedFailures);
  const isSelected = selectionOf(checks, options);
  await checkEndpoint(url, session);
  async function resultOf(check: Check): Promise<CaseResult | undefined> {
    const { id, level, rule, source, profile } = check;
    if (profiles?.includes(profile) === false || !isSelected(check) || !only(check)) return undefined;
    const startedAt = performance.now();
    const judged = await outcomeOf(check, Object.hasOwn(expectedFailures, id));
    const durationMs = performance.now() - startedAt;
    const result = { id, profile, level, rule, source, ...judged, durationMs };
    options.onResult?.(result);
    return result;
  }
  const results = (await mapConcurrently(checks, resultOf)).filter((result) => result !== undefined);
  const isConformant = results.every(({ outcome }) => outcome !== "failed" && outcome !== "unexpected-pass");
  const isConclusive = results.every(({ outcome }) => outcome !== "inconclusive");
  return { url, seed, results, coverage: session.coverage.report(), isConformant, isConclusive };
}

/** Enough that neither a server of few processors nor the kit waits for the other, and few enough for a tenant's cap of runs. */
const lanes = 3;

/**
 * Does some work for each item, for several items at once. The last ones are begun first, which here take longest.
 * @returns The outcomes in the order of the items.
 */
export async function mapConcurrently<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [place, item] = next;
      outcomes[place] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return outcomes;
}
