import { type Coverage, createCoverage } from "./coverage.ts";
import { type Contract, createContract } from "./document.ts";
import { createSender, type Sender } from "./exchange.ts";
import type { Variables } from "./placeholders.ts";

/** One run against one server. */
export interface Session {
  readonly contract: Contract;
  /** What every step knows. */
  readonly variables: Variables;
  readonly coverage: Coverage;
  /** A sender whose exchanges count for the coverage. */
  createSender(): Sender;
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
  return {
    contract,
    coverage,
    variables: { apiKey },
    createSender() {
      const sender = createSender(endpoint, timeoutMs);
      return {
        async send(request, variables) {
          const exchange = await sender.send(request, variables);
          coverage.observe(exchange);
          return exchange;
        },
        [Symbol.dispose]: () => sender[Symbol.dispose](),
      };
    },
  };
}
