import { type Coverage, createCoverage } from "./coverage.ts";
import { type Contract, createContract } from "./document.ts";
import { createSender, type Sender } from "./exchange.ts";
import type { Variables } from "./placeholders.ts";
import { createWithdrawals } from "./withdrawals.ts";

/** One run against one server. */
export interface Session {
  readonly contract: Contract;
  /** What every step knows. */
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
}

export function createSession({ endpoint, apiKey, document, timeoutMs }: SessionOptions): Session {
  const contract = createContract(document);
  const coverage = createCoverage(contract);
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
          return exchange;
        },
        async [Symbol.asyncDispose]() {
          await withdrawals.withdraw(sender, variables);
          sender[Symbol.dispose]();
        },
      };
    },
  };
}
