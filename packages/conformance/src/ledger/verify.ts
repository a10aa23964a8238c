import { randomUUID } from "node:crypto";
import { problemsIn } from "../server/check.ts";
import { endpointOf, reach } from "../server/conform.ts";
import { createSession } from "../server/session.ts";
import { readDocument } from "../server/spec.ts";
import { createTalk } from "../server/talk.ts";
import { type LedgerCall, ledgerOf } from "./ledger.ts";
import { createReplay } from "./replay.ts";

export interface VerifyOptions {
  /** What a mock has kept. */
  readonly ledger: unknown;
  readonly url: string;
  readonly apiKey: string;
  /** How long a single answer, or the end of a run, may take in milliseconds, 60000 if left out. */
  readonly timeoutMs?: number;
}

export interface VerifiedCall extends Pick<LedgerCall, "method" | "params"> {
  /** What the server does not do that the consumer relies on; none where all is there. */
  readonly problems: readonly string[];
}

export interface Verification {
  readonly url: string;
  /** The calls of each consumer, in order. */
  readonly sessions: readonly (readonly VerifiedCall[])[];
  readonly isKept: boolean;
}

/**
 * Makes the calls of a ledger on a real server, and compares the answers with what consumers were given.
 * @throws UnreachableError where nothing answers, LedgerError where the ledger is none.
 */
export async function verify({ ledger, url, apiKey, timeoutMs = 60_000 }: VerifyOptions): Promise<Verification> {
  const { sessions } = ledgerOf(ledger);
  const endpoint = endpointOf(url);
  const session = createSession({ endpoint, apiKey, document: await readDocument(), timeoutMs });
  await reach(endpoint, session);
  const verified: VerifiedCall[][] = [];
  for (const calls of sessions) {
    await using talk = createTalk(session);
    const replay = createReplay({ talk, contract: session.contract, unique: randomUUID(), timeoutMs });
    const done: VerifiedCall[] = [];
    for (const call of calls) {
      const problems = await replay.problemsOf(call).catch(problemsIn);
      done.push({ method: call.method, params: call.params, problems });
    }
    verified.push(done);
  }
  return { url: endpoint, sessions: verified, isKept: verified.flat().every(({ problems }) => problems.length === 0) };
}

/** A verification as text: what is not kept, and a total. */
export function formatVerification({ url, sessions }: Verification): string {
  const broken = sessions.flat().filter(({ problems }) => problems.length > 0);
  const lines = broken.flatMap(({ method, params, problems }) => [
    `${method} ${JSON.stringify(params)}`,
    ...problems.map((problem) => `  ${problem}`),
  ]);
  const count = sessions.flat().length;
  return [
    ...lines,
    `${count - broken.length} of ${count} calls of ${sessions.length} sessions are kept by ${url}`,
  ].join("\n");
}
