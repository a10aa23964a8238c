import { type Coverage, createCoverage } from "./coverage.ts";
import { type Contract, createContract } from "./document.ts";
import { createSender, type Sender } from "./exchange.ts";
import type { Variables } from "./placeholders.ts";
import { createRunObserver } from "./run-observer.ts";
import { createWithdrawals } from "./withdrawals.ts";

/** One run against one server. */
export interface Session {
  readonly contract: Contract;
  /** Variables of every step. */
  readonly variables: Variables;
  readonly coverage: Coverage;
  /** A sender whose exchanges count for the coverage; what it asked for is withdrawn in the end. */
  createSender(): Sender & AsyncDisposable;
}

export interface SessionOptions {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly document: unknown;
  readonly timeoutMs: number;
  /** Judges runs by earlier answers; only where the server claims that its results are those of the document. */
  readonly watchesRuns?: boolean;
}

export function createSession({ endpoint, apiKey, document, timeoutMs, watchesRuns = false }: SessionOptions): Session {
  const contract = createContract(document);
  const coverage = createCoverage(contract);
  const runs = createRunObserver(contract);
  const variables = { apiKey };
  return {
    contract,
    coverage,
    variables,
    createSender() {
      const sender = createSender(endpoint, timeoutMs);
      const withdrawals = createWithdrawals(contract);
      return {
        async send(request, known) {
          const exchange = await sender.send(request, known);
          coverage.observe(exchange);
          withdrawals.observe(exchange);
          return watchesRuns ? { ...exchange, contradictions: runs.observe(exchange) } : exchange;
        },
        async [Symbol.asyncDispose]() {
          await withdrawals.withdraw(sender, variables);
          sender[Symbol.dispose]();
        },
      };
    },
  };
}
