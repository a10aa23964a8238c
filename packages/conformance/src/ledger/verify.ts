import { randomUUID } from "node:crypto";
import { problemsIn } from "../server/check.ts";
import { openConnection } from "../server/connection.ts";
import { checkEndpoint, endpointOf } from "../server/endpoint.ts";
import { createSession } from "../server/session.ts";
import { readDocument } from "../server/spec.ts";
import { type LedgerCall, LedgerError, type LedgerSession, type ProviderState, sessionsOf } from "./ledger.ts";
import { createReplay } from "./replay.ts";

/** Told to the provider before and after each session that names a state. */
export interface StateChange extends ProviderState {
  readonly consumer?: string;
  readonly action: "setup" | "teardown";
}

export interface VerifyOptions {
  /** The ledger of a mock. */
  readonly ledger: unknown;
  readonly url: string;
  readonly apiKey: string;
  /** Longest time of a single answer, and of a run, in milliseconds. @default 60000 */
  readonly timeoutMs?: number;
  /** Puts the service into a provider state, or takes it back. Required by a ledger with provider states. */
  readonly changeState?: (change: StateChange) => void | Promise<void>;
}

export interface VerifiedCall extends Pick<LedgerCall, "method" | "params"> {
  /** SQL text of the run that the call concerns. */
  readonly statement?: string;
  /** Differences between the server's answer and what the consumer relies on. */
  readonly problems: readonly string[];
}

export interface VerifiedSession extends Pick<LedgerSession, "consumer" | "test"> {
  readonly calls: readonly VerifiedCall[];
  /** Provider states that could not be set. The calls are not made then. */
  readonly stateProblems: readonly string[];
}

export interface Verification {
  readonly url: string;
  readonly sessions: readonly VerifiedSession[];
  readonly isVerified: boolean;
}

/**
 * Makes the calls of a ledger on a real server, and compares the answers with what consumers were given.
 * @throws UnreachableError where no server answers, LedgerError where the ledger cannot be used.
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { url, apiKey, timeoutMs = 60_000, changeState } = options;
  const sessions = sessionsOf(options.ledger);
  const state = sessions.flatMap(({ providerStates = [] }) => providerStates)[0];
  if (state !== undefined && changeState === undefined)
    throw new LedgerError(
      `the ledger needs the provider state ${JSON.stringify(state.name)}; pass changeState, or --state-url or --state-command`,
    );
  const endpoint = endpointOf(url);
  const session = createSession({ endpoint, apiKey, document: await readDocument(), timeoutMs });
  await checkEndpoint(endpoint, session);

  async function verifiedCalls(calls: LedgerSession["calls"]): Promise<readonly VerifiedCall[]> {
    await using connection = openConnection(session);
    const replay = createReplay({ connection, contract: session.contract, unique: randomUUID(), timeoutMs });
    const done: VerifiedCall[] = [];
    for (const call of calls) {
      const { method, params } = call;
      const statement = replay.statementOf(call);
      const problems = await replay.problemsOf(call).catch(problemsIn);
      done.push({ method, params, ...(statement !== undefined && { statement }), problems });
    }
    return done;
  }

  async function changeStates(action: StateChange["action"], { consumer, providerStates = [] }: LedgerSession) {
    const states = action === "setup" ? providerStates : providerStates.toReversed();
    for (const state of states) {
      try {
        await changeState?.({ ...state, ...(consumer !== undefined && { consumer }), action });
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
      return { ...names, calls, stateProblems: [] };
    } catch (error) {
      return { ...names, calls, stateProblems: problemsIn(error) };
    }
  }

  const verified: VerifiedSession[] = [];
  for (const one of sessions) verified.push(await verifiedSession(one));
  return { url: endpoint, sessions: verified, isVerified: verified.every(isVerified) };
}

function isVerified({ calls, stateProblems }: VerifiedSession): boolean {
  return stateProblems.length === 0 && calls.every(({ problems }) => problems.length === 0);
}

/** Formats a verification as text: each difference with its consumer, test and statement, and a total. */
export function formatVerification({ url, sessions }: Verification): string {
  const calls = sessions.flatMap((session) => session.calls);
  const kept = calls.filter(({ problems }) => problems.length === 0);
  const broken = sessions.filter((session) => !isVerified(session)).map(sessionText);
  return [...broken, `${kept.length} of ${calls.length} calls in ${sessions.length} sessions are kept by ${url}`].join(
    "\n",
  );
}

function sessionText(session: VerifiedSession): string {
  const { consumer = "unnamed", test = "unnamed", calls, stateProblems } = session;
  const lines = calls.flatMap(({ method, params, statement, problems }, index) => {
    if (problems.length === 0) return [];
    const shared = statement === undefined || (params as { readonly sql?: unknown } | undefined)?.sql === statement;
    const about = shared ? [] : [`    statement: ${statement}`];
    return [
      `  call ${index + 1} of ${calls.length}: ${method} ${JSON.stringify(params)}`,
      ...about,
      ...problems.map((problem) => `    ${problem}`),
    ];
  });
  return [`consumer ${consumer}, test ${test}`, ...stateProblems.map((problem) => `  ${problem}`), ...lines].join("\n");
}
