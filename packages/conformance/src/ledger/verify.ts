import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Outcome, problemsIn, SlowAnswer } from "../server/check.ts";
import { openConnection } from "../server/connection.ts";
import { checkEndpoint, endpointOf } from "../server/endpoint.ts";
import { createSession } from "../server/session.ts";
import { readContract } from "../server/spec.ts";
import { type LedgerCall, LedgerError, type LedgerSession, type ProviderState, sessionsOf } from "./ledger.ts";
import { createReplay } from "./replay.ts";

/** Request to set or remove a provider state, before and after each session that names it. */
export interface StateChange extends ProviderState {
  readonly consumer?: string;
  readonly action: "setup" | "teardown";
}

export interface VerifyOptions {
  /** Ledger that a mock has recorded. */
  readonly ledger: unknown;
  /** Address of the endpoint, or the base URL that `/json-rpc` is added to. */
  readonly url: string;
  readonly apiKey: string;
  /**
   * Deadline of a single answer, of a run, and of a change of a provider state, in milliseconds. A slower answer or run is
   * inconclusive; a slower change fails its session. @default 60000
   */
  readonly timeoutMs?: number;
  /**
   * Sets or removes a provider state of the service. Required for a ledger with provider states. The signal is aborted at
   * the deadline; the function then has 1 second to end.
   */
  readonly changeState?: (change: StateChange, signal: AbortSignal) => void | Promise<void>;
}

export interface VerifiedCall extends Pick<LedgerCall, "method" | "params"> {
  /** `inconclusive`: the answer or the end of the run did not come in time, or an earlier call of the session was inconclusive. */
  readonly outcome: Extract<Outcome, "passed" | "failed" | "inconclusive">;
  /** SQL text of the run that the call concerns. */
  readonly statement?: string;
  /** Differences between the answer of the server and the recorded one; the reason of an inconclusive call. */
  readonly problems: readonly string[];
}

export interface VerifiedSession extends Pick<LedgerSession, "consumer" | "test"> {
  readonly calls: readonly VerifiedCall[];
  /** Number of calls that were not sent, because a provider state could not be set. */
  readonly notSent: number;
  /** Provider states that could not be set or removed, with the reason. */
  readonly stateProblems: readonly string[];
}

export interface Verification {
  readonly url: string;
  readonly sessions: readonly VerifiedSession[];
  /** True if no call fails and every provider state was set and removed. Ignores inconclusive calls. */
  readonly isVerified: boolean;
  /** True if no call is inconclusive. */
  readonly isConclusive: boolean;
}

/**
 * Makes the calls of a ledger on a server, and compares its answers with those that the consumers got from the mock.
 * @throws LedgerError if the ledger is invalid, has no calls or needs `changeState`; UnreachableError if no JSON-RPC server
 * answers; ApiKeyError if the server refuses the key
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { url, apiKey, timeoutMs = 60_000, changeState } = options;
  const sessions = sessionsOf(options.ledger);
  if (sessions.every(({ calls }) => calls.length === 0))
    throw new LedgerError("the ledger has no calls; run the consumer's tests with a mock that records them");
  const state = sessions.flatMap(({ providerStates = [] }) => providerStates)[0];
  if (state !== undefined && changeState === undefined)
    throw new LedgerError(
      `the ledger needs the provider state ${JSON.stringify(state.name)}; pass changeState, or --state-url or --state-command`,
    );
  const endpoint = endpointOf(url);
  const session = createSession({ endpoint, apiKey, contract: await readContract(), timeoutMs });
  await checkEndpoint(endpoint, session);

  async function verifiedCalls(calls: LedgerSession["calls"]): Promise<readonly VerifiedCall[]> {
    await using connection = openConnection(session);
    const replay = createReplay({ connection, contract: session.contract, unique: randomUUID(), timeoutMs });
    const verified: VerifiedCall[] = [];
    for (const call of calls) {
      const { method, params } = call;
      const statement = replay.statementOf(call);
      const slow = verified.findIndex(({ outcome }) => outcome === "inconclusive");
      // Later calls may use an id of the slow answer, which is unknown.
      const result =
        slow < 0
          ? await replay.problemsOf(call).then(verdictOf, failed)
          : inconclusive([`not sent, because call ${slow + 1} is inconclusive`]);
      verified.push({ method, params, ...(statement !== undefined && { statement }), ...result });
    }
    return verified;
  }

  async function changeStates(action: StateChange["action"], { consumer, providerStates = [] }: LedgerSession) {
    const states = action === "setup" ? providerStates : providerStates.toReversed();
    for (const state of states) {
      try {
        const change = { ...state, ...(consumer !== undefined && { consumer }), action };
        await inTime(timeoutMs, async (signal) => changeState?.(change, signal));
      } catch (error) {
        const reason = problemsIn(error).join("; ");
        throw new Error(`${action} of the provider state ${JSON.stringify(state.name)} failed: ${reason}`);
      }
    }
  }

  async function verifiedSession(one: LedgerSession): Promise<VerifiedSession> {
    const { consumer, test } = one;
    const names = { ...(consumer !== undefined && { consumer }), ...(test !== undefined && { test }) };
    let calls: readonly VerifiedCall[] = [];
    try {
      await changeStates("setup", one);
      calls = await verifiedCalls(one.calls);
      await changeStates("teardown", one);
      return { ...names, calls, notSent: 0, stateProblems: [] };
    } catch (error) {
      return { ...names, calls, notSent: one.calls.length - calls.length, stateProblems: problemsIn(error) };
    }
  }

  const verified: VerifiedSession[] = [];
  for (const one of sessions) verified.push(await verifiedSession(one));
  const outcomes = verified.flatMap(({ calls }) => calls.map(({ outcome }) => outcome));
  const isVerified = verified.every(({ stateProblems }) => stateProblems.length === 0) && !outcomes.includes("failed");
  return { url: endpoint, sessions: verified, isVerified, isConclusive: !outcomes.includes("inconclusive") };
}

/** Time for the work to end after the abort, in milliseconds. */
const endingMs = 1_000;

/** Runs work with a signal that is aborted at its deadline. @throws Error at the deadline, also if the work ignores the signal */
async function inTime(timeoutMs: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const deadline = new AbortController();
  const ended = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: ended.signal }).then(async () => {
    deadline.abort();
    await sleep(endingMs, undefined, { signal: ended.signal });
  });
  const done = work(deadline.signal);
  try {
    await Promise.race([done, late]);
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
  } finally {
    ended.abort();
  }
  if (deadline.signal.aborted) throw new Error(`not done within ${timeoutMs} ms`);
}

type Verdict = Pick<VerifiedCall, "outcome" | "problems">;

function verdictOf(problems: readonly string[]): Verdict {
  return { outcome: problems.length === 0 ? "passed" : "failed", problems };
}

function inconclusive(problems: readonly string[]): Verdict {
  return { outcome: "inconclusive", problems };
}

function failed(error: unknown): Verdict {
  return error instanceof SlowAnswer ? inconclusive(error.problems) : verdictOf(problemsIn(error));
}

/** Formats a verification as text: differences and state problems by consumer and test, and a total. */
export function formatVerification({ url, sessions }: Verification): string {
  const outcomes = sessions.flatMap(({ calls }) => calls.map(({ outcome }) => outcome));
  const count = (wanted: VerifiedCall["outcome"]) => outcomes.filter((outcome) => outcome === wanted).length;
  const slow = count("inconclusive") === 0 ? "" : `, ${count("inconclusive")} inconclusive`;
  const notSent = sessions.reduce((sum, session) => sum + session.notSent, 0);
  const unsent = notSent === 0 ? "" : `, ${notSent} not sent because a provider state could not be set`;
  const all = outcomes.length + notSent;
  const total = `${count("passed")} of ${all} calls in ${sessions.length} sessions pass on ${url}${slow}${unsent}`;
  return [...sessions.flatMap(sessionText), total].join("\n");
}

/** Formats the calls of a session that did not pass, and its state problems; nothing if it has neither. */
function sessionText({ consumer = "unnamed", test = "unnamed", calls, stateProblems }: VerifiedSession) {
  const lines = calls.flatMap(({ method, params, statement, outcome, problems }, index) => {
    if (outcome === "passed") return [];
    const isInParams = (params as { readonly sql?: unknown } | undefined)?.sql === statement;
    const prefix = outcome === "inconclusive" ? "inconclusive: " : "";
    return [
      `  call ${index + 1} of ${calls.length}: ${method} ${JSON.stringify(params)}`,
      ...(statement === undefined || isInParams ? [] : [`    statement: ${statement}`]),
      ...problems.map((problem) => `    ${prefix}${problem}`),
    ];
  });
  if (lines.length === 0 && stateProblems.length === 0) return [];
  return [`consumer ${consumer}, test ${test}`, ...stateProblems.map((problem) => `  ${problem}`), ...lines];
}
