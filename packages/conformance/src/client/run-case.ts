import { getEventListeners } from "node:events";
import { areEqual, shortJson } from "../server/json.ts";
import { type Adversary, startAdversary } from "./adversary.ts";
import { type AdversaryCase, alternativesOf, type CaseCall, type Ending, levelOf } from "./case.ts";
import { exampleReply, isRepeatable, rows } from "./example-answers.ts";
import type { CaseResult, Problem } from "./report.ts";
import { remainingAfterWait, trackResources } from "./resource-leaks.ts";

export interface Limits {
  /** Longest time the ask may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
}

/** Adapter of a client in JavaScript, usually a few lines. */
export interface ClientUnderTest {
  /** Calls a method with `params` as the one element of its `params`; resolves with the `result`. */
  call(method: string, params: CaseCall["params"], limits: Limits): Promise<unknown>;
  /** Runs a statement and resolves with all its rows, each an array in column order. */
  query(sql: string, options: Limits & { readonly pageSize?: number }): Promise<readonly unknown[]>;
  /** Converts an error that the client threw to `kind` or `kind number`, see `Ending`. */
  endingOf(error: unknown): Ending;
}

export interface Service {
  readonly url: string;
  readonly apiKey: string;
  /** The deadline of the case once more, for what the client does on its own account. */
  readonly timeoutMs: number;
}

/** Makes the client anew for each case. */
export type ConnectClient = (service: Service) => ClientUnderTest;

const endpointPath = "/json-rpc";
const defaultTimeoutMs = 10_000;
/** Beyond the client's own deadline; only a client that never endings needs it. */
const guardMs = 5000;

/** Makes the calls of a case, and returns how each one ended. */
export type CaseRunner = (one: AdversaryCase, service: Service, signal: AbortSignal) => Promise<readonly Ending[]>;

/** Plays one case against a client, and looks at what it leaves behind. */
export function runCase(one: AdversaryCase, connect: ConnectClient): Promise<CaseResult> {
  return runCaseWith(one, (_one, service, signal) => {
    const limits = { timeoutMs: service.timeoutMs, signal };
    return endingsOf(one, connect(service), limits);
  });
}

/** Plays one case to a runner. */
export async function runCaseWith(one: AdversaryCase, runner: CaseRunner): Promise<CaseResult> {
  using watch = trackResources();
  const giveUp = new AbortController();
  const { name, faults, endings, service, abort, mustSend = [], timeoutMs = defaultTimeoutMs } = one;
  const options = { faults, basic: service === "basic", onFault: () => abort && giveUp.abort() };
  const problems: Problem[] = [];
  const should = (texts: readonly string[]) => texts.map((text) => ({ level: "should", text }) as const);
  let isPlayed = true;
  let sent: readonly string[] = [];
  {
    await using adversary = await startAdversary(options);
    if (service === "absent") await adversary[Symbol.asyncDispose]();
    const target = { url: adversary.url, apiKey: "adversary", timeoutMs };
    const seen = await watch.run(() => runner(one, target, giveUp.signal));
    problems.push(...endings.flatMap((wanted, index) => endingProblem(one, seen[index] ?? "never", wanted) ?? []));
    problems.push(...sendingProblems(one, adversary));
    const unsent = () =>
      mustSend
        .filter((method) => !adversary.exchanges.some(({ methods }) => methods.includes(method)))
        .map((method) => `${method} was not sent`);
    problems.push(...should(await remainingAfterWait(unsent)));
    const open = () =>
      adversary.exchanges.filter(({ isClosed }) => !isClosed).map(({ methods }) => `${methods} left open`);
    problems.push(...should(await remainingAfterWait(open)));
    sent = adversary.exchanges.map(
      ({ methods, path }) => (methods.join("+") || "no call") + (path === endpointPath ? "" : ` to ${path}`),
    );
    const unreadable = seen.filter((ending) => ending.startsWith(invalidOutput));
    if (service !== "absent" && adversary.exchanges.length === 0)
      return failure(one, ["the client sent no request", ...unreadable], sent);
    const unplayed = adversary.unusedFaults();
    // The endings of a case apply only where its fault was met.
    if (faults.length > 0 && unplayed.length === faults.length)
      return unreadable.length > 0
        ? failure(one, unreadable, sent)
        : { name, level: levelOf(one), outcome: "not-reached", problems: [], sent };
    isPlayed = unplayed.length === 0;
  }
  if (getEventListeners(giveUp.signal, "abort").length > 0) problems.push(...should(["listeners left on the signal"]));
  problems.push(...should(await remainingAfterWait(watch.left)));
  const isMust = problems.some(({ level }) => level === "must");
  return {
    name,
    level: problems.length === 0 ? levelOf(one) : isMust ? "must" : "should",
    outcome: problems.length > 0 ? "failed" : isPlayed ? "passed" : "not-reached",
    problems: problems.map(({ text }) => text),
    sent,
  };
}

/** Begins the ending of a client whose output cannot be used. */
export const invalidOutput = "invalid output";

function failure({ name }: AdversaryCase, problems: readonly string[], sent: readonly string[]): CaseResult {
  return { name, level: "must", outcome: "failed", problems, sent };
}

/** Judges an ending: a result in place of an error, a wrong one or none at all is worse than an error in place of a result. */
function endingProblem(one: AdversaryCase, seen: Ending, wanted: Ending): Problem | undefined {
  const accepted = alternativesOf(wanted);
  if (accepted.some((ending) => seen === ending || seen.startsWith(`${ending} `))) return undefined;
  const texts = accepted.map((ending) => {
    if (ending === "right") return "the right result";
    return ending.startsWith("wrong: ") ? `the result ${ending.slice("wrong: ".length)}` : `the error ${ending}`;
  });
  const expected = [...new Set(texts)].join(" or ");
  if (seen === "right") return { level: "must", text: `ended with a result, expected ${expected}` };
  if (seen.startsWith("wrong: "))
    return { level: "must", text: `ended with the wrong result ${seen.slice("wrong: ".length)}, expected ${expected}` };
  if (seen === "never") return { level: "must", text: `did not end, expected ${expected}` };
  if (seen.startsWith(invalidOutput)) return { level: "must", text: `ended with ${seen}, expected ${expected}` };
  const level = accepted.includes("right") ? levelOf(one) : "should";
  return { level, text: `ended with the error ${seen}, expected ${expected}` };
}

async function endingsOf(one: AdversaryCase, client: ClientUnderTest, limits: Limits): Promise<readonly Ending[]> {
  const { calls = [], sequence = [], query } = one;

  async function ending(work: () => Promise<unknown>, ask: CaseCall | undefined): Promise<Ending> {
    try {
      return resultEnding(await withGuard(work(), limits.timeoutMs + guardMs), one, ask);
    } catch (error) {
      return error === late ? "never" : client.endingOf(error);
    }
  }
  const called = (ask: CaseCall) => ending(() => client.call(ask.method, ask.params, limits), ask);

  if (query) return [await ending(() => client.query(query.sql, { ...query, ...limits }), undefined)];
  const endings = await Promise.all(calls.map(called));
  for (const ask of sequence) endings.push(await called(ask));
  return endings;
}

/** Returns the ending of a call that gave a result; of a query where no call is given. */
export function resultEnding(result: unknown, { service }: AdversaryCase, ask: CaseCall | undefined): Ending {
  const right = ask === undefined ? rows : exampleReply({ id: 0, ...ask }, service === "basic").result;
  return areEqual(result, right) ? "right" : `wrong: ${shortJson(result)}`;
}

const late = Symbol("late");

function withGuard<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A client sends no method more often than it may, and its key nowhere but to the endpoint. */
function sendingProblems(
  { maxSends = {}, minWaitMs = 0 }: AdversaryCase,
  { exchanges }: Adversary,
): readonly Problem[] {
  const sent = exchanges.flatMap(({ methods }) => methods);
  const often = Object.entries(maxSends)
    .map(([method, most]) => ({ method, most, count: sent.filter((name) => name === method).length }))
    .filter(({ most, count }) => count > most)
    .map(({ method, most, count }): Problem => {
      // A statement that is run twice is one run that nobody knows of.
      const level = isRepeatable(method) ? "should" : "must";
      return { level, text: `${method} was sent ${count} times, not ${most} at most` };
    });
  const astray = exchanges
    .filter(({ path }) => path !== endpointPath)
    .map(({ path }): Problem => ({ level: "must", text: `a request went to ${path}` }));
  const [first, second] = exchanges;
  const waited = first && second ? second.at - first.at : minWaitMs;
  if (waited >= minWaitMs) return [...often, ...astray];
  return [
    ...often,
    ...astray,
    { level: "should", text: `it was sent again after ${Math.round(waited)} ms, not ${minWaitMs}` },
  ];
}
