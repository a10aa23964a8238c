import { type CaseResult, type Check, type Outcome, problemsIn, SlowAnswer } from "./check.ts";
import type { Case, Corpus, ExpectedFailures, Profile } from "./corpus.ts";
import { corpusChecks } from "./corpus-checks.ts";
import { createContract } from "./document.ts";
import { checkEndpoint, endpointOf } from "./endpoint.ts";
import { propertyChecks } from "./properties/property-checks.ts";
import type { Report } from "./report.ts";
import { selectionOf } from "./selection.ts";
import { createSession } from "./session.ts";
import { readContract, readCorpora, readExpectedFailures } from "./spec.ts";

export interface ConformOptions {
  /** Address of the endpoint, or the base URL that `/json-rpc` is added to. */
  readonly url: string;
  readonly apiKey: string;
  /** Profiles that the server claims. @default all */
  readonly profiles?: readonly Profile[];
  /** Corpora to run. @default all of `@quern/spec` */
  readonly corpora?: readonly Corpus[];
  /** OpenRPC document to validate against. @default that of `@quern/spec` */
  readonly document?: unknown;
  /** Id of a check -> reason that it may fail. @default the list of `@quern/spec`; none with `corpora` */
  readonly expectedFailures?: ExpectedFailures;
  /** Selects the checks to run. @default all */
  readonly only?: (one: Pick<Case, "id" | "level">) => boolean;
  /** Ids of the checks to run, in addition to `groups`; `*` matches any text. @default all if `groups` is empty too */
  readonly ids?: readonly string[];
  /**
   * Groups of the checks to run, in addition to `ids`. The group is the part of an id before the first `/`, or else
   * before the number at its end, such as `fuzz` of `fuzz/links` and `PAGE` of `PAGE-001`.
   * @default all if `ids` is empty too
   */
  readonly groups?: readonly string[];
  /** Number of random values that each property tries. @default 25 */
  readonly tries?: number;
  /** Seed of the random values. @default a random seed */
  readonly seed?: number;
  /** Deadline of a single answer in milliseconds. A slower one makes its check inconclusive. @default 20000 */
  readonly timeoutMs?: number;
  /** Called with the result of each check as it ends. */
  readonly onResult?: (result: CaseResult) => void;
}

/** Profiles whose servers claim to return results as the OpenRPC document describes them. */
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

/** @throws Error if two checks share an id, or an expected failure names no check */
function checkIds(checks: readonly Check[], expectedFailures: ExpectedFailures): void {
  const known = new Set<string>();
  for (const { id } of checks) {
    if (known.has(id)) throw new Error(`duplicate id in the corpus: ${id}`);
    known.add(id);
  }
  const unknown = Object.keys(expectedFailures).find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new Error(`unknown check in expectedFailures: ${JSON.stringify(unknown)}; correct the id or remove it`);
}

/**
 * Tests a server with the corpus and with random requests, several checks at a time.
 * @throws UnreachableError if no JSON-RPC server answers, ApiKeyError if the server refuses the key, SelectionError if `ids` or
 * `groups` match no check, Error if the corpus, the OpenRPC document or `expectedFailures` is invalid
 */
export async function conform(options: ConformOptions): Promise<Report> {
  const { apiKey, only = () => true, profiles, tries = 25, timeoutMs = 20_000 } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const url = endpointOf(options.url);
  const corpora = options.corpora ?? (await readCorpora());
  const expectedFailures =
    options.expectedFailures ?? (options.corpora === undefined ? await readExpectedFailures() : {});
  const contract = options.document === undefined ? await readContract() : createContract(options.document);
  const comparesRuns = profiles === undefined || profiles.some((profile) => profilesOfResults.has(profile));
  const session = createSession({ endpoint: url, apiKey, contract, timeoutMs, comparesRuns });
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
    const outcome = await outcomeOf(check, Object.hasOwn(expectedFailures, id));
    const durationMs = performance.now() - startedAt;
    const result = { id, profile, level, rule, source, ...outcome, durationMs };
    options.onResult?.(result);
    return result;
  }
  const results = (await mapConcurrently(checks, resultOf)).filter((result) => result !== undefined);
  const isConformant = results.every(({ outcome }) => outcome !== "failed" && outcome !== "unexpected-pass");
  const isConclusive = results.every(({ outcome }) => outcome !== "inconclusive");
  return { url, seed, results, coverage: session.coverage.report(), isConformant, isConclusive };
}

/** Number of concurrent checks: enough to use a server of few processors, few enough for a tenant's limit of runs. */
const concurrency = 3;

/**
 * Maps items with limited concurrency, and returns the outcomes in the order of the items. Starts with the last items: the
 * properties are last and take longest.
 */
export async function mapConcurrently<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [index, item] = next;
      outcomes[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return outcomes;
}
