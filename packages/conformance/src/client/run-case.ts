import { getEventListeners } from "node:events";
import { areEqual, shortJson } from "../server/json.ts";
import { type Adversary, startAdversary } from "./adversary.ts";
import { type AdversaryCase, alternativesOf, type CaseCall, type Ending, levelOf } from "./case.ts";
import { exampleReply, exampleRows, isRepeatable } from "./example-answers.ts";
import type { CaseResult, Problem } from "./report.ts";
import { remainingAfterWait, trackResources } from "./resource-leaks.ts";

export interface Limits {
  /** Deadline of the call in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
}

/** Adapter of a JavaScript client, usually a few lines. */
export interface ClientUnderTest {
  /** Calls a method with `params` as the one element of its `params`; resolves with the `result`. */
  call(method: string, params: CaseCall["params"], limits: Limits): Promise<unknown>;
  /** Runs a statement and resolves with all its rows, each an array in column order. */
  query(sql: string, options: Limits & { readonly pageSize?: number }): Promise<readonly unknown[]>;
  /** Returns the ending for an error that the client threw, such as `timeout` or `http 502`; see `Ending`. */
  endingOf(error: unknown): Ending;
}

export interface Service {
  readonly url: string;
  readonly apiKey: string;
  /** Deadline of each call in milliseconds, for clients that take it as an option. */
  readonly timeoutMs: number;
}

/** Creates the client; called once for each case. */
export type ConnectClient = (service: Service) => ClientUnderTest;

/** Makes the calls of a case and returns the ending of each. */
export type CaseRunner = (one: AdversaryCase, service: Service, signal: AbortSignal) => Promise<readonly Ending[]>;

/** Prefix of the ending of a client whose output cannot be read. */
export const invalidOutput = "invalid output";
/** Problem of a client that sent nothing. */
export const noRequest = "the client sent no request";

const endpointPath = "/json-rpc";
const defaultTimeoutMs = 10_000;
/** Time that a call may take beyond the client's own deadline, in milliseconds. After that its ending is `never`. */
const guardMs = 5000;

/** Runs one case with a client, and reports timers, sockets and listeners that it leaks. */
export function runCase(one: AdversaryCase, connect: ConnectClient): Promise<CaseResult> {
  return runCaseWith(one, (_one, service, signal) => {
    const limits = { timeoutMs: service.timeoutMs, signal };
    return endingsOf(one, connect(service), limits);
  });
}

/** Runs one case with a runner. */
export async function runCaseWith(one: AdversaryCase, runner: CaseRunner): Promise<CaseResult> {
  using tracker = trackResources();
  const caller = new AbortController();
  const { name, faults, endings, service, abort, mustSend = [], timeoutMs = defaultTimeoutMs } = one;
  const options = { faults, basic: service === "basic", onFault: () => abort && caller.abort() };
  const problems: Problem[] = [];
  const should = (texts: readonly string[]) => texts.map((text) => ({ level: "should", text }) as const);
  let isReached = true;
  let sent: readonly string[] = [];
  {
    await using adversary = await startAdversary(options);
    if (service === "absent") await adversary[Symbol.asyncDispose]();
    const target = { url: adversary.url, apiKey: "adversary", timeoutMs };
    const found = await tracker.run(() => runner(one, target, caller.signal));
    problems.push(...endings.flatMap((expected, index) => endingProblem(one, found[index] ?? "never", expected) ?? []));
    problems.push(...requestProblems(one, adversary));
    const unsent = () =>
      mustSend
        .filter((method) => !adversary.exchanges.some(({ methods }) => methods.includes(method)))
        .map((method) => `${method}: not sent`);
    problems.push(...should(await remainingAfterWait(unsent)));
    const open = () =>
      adversary.exchanges.filter(({ isClosed }) => !isClosed).map(({ methods }) => `${methods}: request left open`);
    problems.push(...should(await remainingAfterWait(open)));
    sent = adversary.exchanges.map(
      ({ methods, path }) => (methods.join("+") || "no call") + (path === endpointPath ? "" : ` to ${path}`),
    );
    const unreadable = found.filter((ending) => ending.startsWith(invalidOutput));
    if (service !== "absent" && adversary.exchanges.length === 0) return failure(one, [noRequest, ...unreadable], sent);
    const unused = adversary.unusedFaults();
    // The expected endings apply only if a fault was played.
    if (faults.length > 0 && unused.length === faults.length)
      return unreadable.length > 0
        ? failure(one, unreadable, sent)
        : { name, level: levelOf(one), outcome: "not-reached", problems: [], sent };
    isReached = unused.length === 0;
  }
  if (getEventListeners(caller.signal, "abort").length > 0)
    problems.push(...should(["abort listener left on the signal"]));
  problems.push(...should(await remainingAfterWait(tracker.leaks)));
  const isMust = problems.some(({ level }) => level === "must");
  return {
    name,
    level: problems.length === 0 ? levelOf(one) : isMust ? "must" : "should",
    outcome: problems.length > 0 ? "failed" : isReached ? "passed" : "not-reached",
    problems: problems.map(({ text }) => text),
    sent,
  };
}

function failure({ name }: AdversaryCase, problems: readonly string[], sent: readonly string[]): CaseResult {
  return { name, level: "must", outcome: "failed", problems, sent };
}

/**
 * Classifies an ending. A wrong result, or a call that does not end, always has the level `must`; an error in place of a
 * result may have `should`.
 */
function endingProblem(one: AdversaryCase, found: Ending, expected: Ending): Problem | undefined {
  const accepted = alternativesOf(expected);
  if (accepted.some((ending) => found === ending || found.startsWith(`${ending} `))) return undefined;
  const texts = [...new Set(accepted.map((ending) => endingText(ending, "the right result")))];
  const text = `expected ${texts.join(" or ")}, ${found === "never" ? "but the call did not end" : `got ${endingText(found, "a result")}`}`;
  const isError = found !== "right" && found !== "never" && !/^wrong: /.test(found) && !found.startsWith(invalidOutput);
  const errorLevel = accepted.includes("right") ? levelOf(one) : "should";
  return { level: isError ? errorLevel : "must", text };
}

function endingText(ending: Ending, right: string): string {
  if (ending === "right") return right;
  if (ending.startsWith("wrong: ")) return `the wrong result ${ending.slice("wrong: ".length)}`;
  return ending.startsWith(invalidOutput) ? ending : `the error ${ending}`;
}

async function endingsOf(one: AdversaryCase, client: ClientUnderTest, limits: Limits): Promise<readonly Ending[]> {
  const { calls = [], sequence = [], query } = one;

  async function ending(work: () => Promise<unknown>, call: CaseCall | undefined): Promise<Ending> {
    try {
      return resultEnding(await withGuard(work(), limits.timeoutMs + guardMs), one, call);
    } catch (error) {
      return error === late ? "never" : client.endingOf(error);
    }
  }
  const called = (call: CaseCall) => ending(() => client.call(call.method, call.params, limits), call);

  if (query) return [await ending(() => client.query(query.sql, { ...query, ...limits }), undefined)];
  const endings = await Promise.all(calls.map(called));
  for (const call of sequence) endings.push(await called(call));
  return endings;
}

/** Returns the ending of a call that returned a result, or of a query if `call` is undefined. */
export function resultEnding(result: unknown, { service }: AdversaryCase, call: CaseCall | undefined): Ending {
  const right = call === undefined ? exampleRows : exampleReply({ id: 0, ...call }, service === "basic").result;
  return areEqual(result, right) ? "right" : `wrong: ${shortJson(result)}`;
}

const late = Symbol("late");

function withGuard<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Reports methods that were sent too often or too early, and requests to another path, which would leak the key. */
function requestProblems(
  { maxSends = {}, minWaitMs = 0 }: AdversaryCase,
  { exchanges }: Adversary,
): readonly Problem[] {
  const sent = exchanges.flatMap(({ methods }) => methods);
  const repeated = Object.entries(maxSends)
    .map(([method, max]) => ({ method, max, count: sent.filter((name) => name === method).length }))
    .filter(({ max, count }) => count > max)
    .map(({ method, max, count }): Problem => {
      // A repeated `createQueryRun` starts a second run, whose id the client does not know.
      const level = isRepeatable(method) ? "should" : "must";
      return { level, text: `${method}: sent ${count} times, expected at most ${max}` };
    });
  const elsewhere = exchanges
    .filter(({ path }) => path !== endpointPath)
    .map(({ path }): Problem => ({ level: "must", text: `request sent to ${path}, expected ${endpointPath} only` }));
  const [first, second] = exchanges;
  const waitedMs = first && second ? second.at - first.at : minWaitMs;
  if (waitedMs >= minWaitMs) return [...repeated, ...elsewhere];
  const text = `request repeated after ${Math.round(waitedMs)} ms, expected at least ${minWaitMs} ms`;
  return [...repeated, ...elsewhere, { level: "should", text }];
}
