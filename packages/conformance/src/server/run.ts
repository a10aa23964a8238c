import { randomUUID } from "node:crypto";
import type { Case, Corpus, ExpectedFailures } from "./corpus.ts";
import { type Contract, createContract } from "./document.ts";
import { createSender, type Sender } from "./exchange.ts";
import type { Variables } from "./placeholders.ts";
import type { CaseResult, Outcome, Report } from "./report.ts";
import { readCorpora, readDocument, readExpectedFailures } from "./spec.ts";
import { livenessStep, roundsOf, runSteps, StepFailure } from "./steps.ts";

export interface CorpusOptions {
  /** The endpoint, or the base URL that `/json-rpc` is added to. */
  readonly url: string;
  readonly apiKey: string;
  /** All of `@quern/spec` if left out. */
  readonly corpora?: readonly Corpus[];
  /** The OpenRPC document to judge by; that of `@quern/spec` if left out. */
  readonly document?: unknown;
  /** That of `@quern/spec` if left out. */
  readonly expectedFailures?: ExpectedFailures;
  /** Which cases to run; all if left out. */
  readonly only?: (one: Case) => boolean;
  /** How long a single answer may take in milliseconds, 20000 if left out. */
  readonly timeoutMs?: number;
  /** Hears of each case as it ends. */
  readonly onResult?: (result: CaseResult) => void;
}

const defaultTimeoutMs = 20_000;

interface Run {
  readonly contract: Contract;
  readonly variables: Variables;
  readonly createSender: () => Sender;
}

/** Runs fixtures once each, with those that they need before. */
function createFixtures({ fixtures = {} }: Corpus, run: Run): (names: readonly string[]) => Promise<Variables> {
  const done = new Map<string, Promise<Variables>>();

  async function prepare(name: string): Promise<Variables> {
    const fixture = fixtures[name];
    if (fixture === undefined) throw new StepFailure([`there is no fixture ${name}`]);
    const given = await all(fixture.given ?? []);
    using sender = run.createSender();
    return runSteps(fixture.steps, sender, run.contract, { ...run.variables, unique: randomUUID(), ...given });
  }

  function once(name: string): Promise<Variables> {
    const prepared = done.get(name) ?? prepare(name);
    done.set(name, prepared);
    return prepared;
  }

  async function all(names: readonly string[]): Promise<Variables> {
    const captured = await Promise.all(names.map(once));
    return Object.assign({}, ...captured);
  }
  return all;
}

async function problemsOf(
  one: Case,
  run: Run,
  given: (names: readonly string[]) => Promise<Variables>,
): Promise<readonly string[]> {
  try {
    const prepared = await given(one.given ?? []);
    for (const round of roundsOf(one, run.contract)) {
      using sender = run.createSender();
      const variables = { ...run.variables, ...prepared, ...round, unique: randomUUID() };
      try {
        await runSteps(one.steps, sender, run.contract, variables);
      } catch (error) {
        const where = Object.values({ method: "", example: "", ...round })
          .slice(0, 2)
          .filter(Boolean)
          .join(", ");
        throw error instanceof StepFailure && where !== ""
          ? new StepFailure(error.problems.map((problem) => `${where}: ${problem}`))
          : error;
      }
    }
    if (one.alive === true) {
      using sender = run.createSender();
      await runSteps([livenessStep], sender, run.contract, run.variables);
    }
    return [];
  } catch (error) {
    return error instanceof StepFailure ? error.problems : [error instanceof Error ? error.message : String(error)];
  }
}

function outcomeOf(problems: readonly string[], isExpectedToFail: boolean): Outcome {
  if (problems.length > 0) return isExpectedToFail ? "expected-failure" : "failed";
  return isExpectedToFail ? "unexpected-pass" : "passed";
}

/** Refuses a corpus in which an id names two cases, or a list that names none. */
function checkIds(corpora: readonly Corpus[], expectedFailures: ExpectedFailures): void {
  const ids = corpora.flatMap(({ cases }) => cases.map(({ id }) => id));
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two cases of the corpus are called ${twice}`);
  const known = new Set(ids);
  const stray = Object.keys(expectedFailures).find((id) => !known.has(id));
  if (stray !== undefined) throw new Error(`a failure is expected of ${stray}, which is no case of the corpus`);
}

/** Runs the corpus against a server, one case after another. Rejects only where the corpus or the document itself is wrong. */
export async function runCorpus(options: CorpusOptions): Promise<Report> {
  const { apiKey, only = () => true, onResult, timeoutMs = defaultTimeoutMs } = options;
  const url = options.url.endsWith("/json-rpc") ? options.url : `${options.url.replace(/\/$/, "")}/json-rpc`;
  const corpora = options.corpora ?? (await readCorpora());
  const expectedFailures =
    options.expectedFailures ?? (options.corpora === undefined ? await readExpectedFailures() : {});
  checkIds(corpora, expectedFailures);
  const contract = createContract(options.document ?? (await readDocument()));
  const run: Run = { contract, variables: { apiKey }, createSender: () => createSender(url, timeoutMs) };
  const results: CaseResult[] = [];
  for (const corpus of corpora) {
    const given = createFixtures(corpus, run);
    for (const one of corpus.cases.filter(only)) {
      const startedAt = performance.now();
      const problems = await problemsOf(one, run, given);
      const { id, level, rule, source } = one;
      const outcome = outcomeOf(problems, Object.hasOwn(expectedFailures, id));
      const result = { id, level, rule, source, outcome, problems, durationMs: performance.now() - startedAt };
      results.push(result);
      onResult?.(result);
    }
  }
  const isConformant = results.every(({ outcome }) => outcome === "passed" || outcome === "expected-failure");
  return { url, results, isConformant };
}
