import { type Coverage, createCoverage } from "./coverage.ts";
import type { Contract } from "./document.ts";
import { createSender, type Exchange, type Sender } from "./exchange.ts";
import { isObject, type JsonObject, valueAt } from "./json.ts";
import type { Variables } from "./placeholders.ts";
import { repliesIn } from "./response-body.ts";
import { createRunObserver } from "./run-observer.ts";

/** One test run against one server. */
export interface Session {
  readonly contract: Contract;
  /** Placeholders of every step. */
  readonly variables: Variables;
  readonly coverage: Coverage;
  /** Creates a sender that records coverage. Disposing it cancels the runs that it created. */
  createSender(): Sender & AsyncDisposable;
}

export interface SessionOptions {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly contract: Contract;
  /** Deadline of one answer in milliseconds. */
  readonly timeoutMs: number;
  /** Compares each run with its earlier answers. Only for servers that claim the results of the OpenRPC document. @default false */
  readonly comparesRuns?: boolean;
}

export function createSession({
  endpoint,
  apiKey,
  contract,
  timeoutMs,
  comparesRuns = false,
}: SessionOptions): Session {
  const coverage = createCoverage(contract);
  const runs = createRunObserver(contract);
  const variables = { apiKey };
  return {
    contract,
    coverage,
    variables,
    createSender() {
      const sender = createSender(endpoint, timeoutMs);
      const cleanup = createRunCleanup(contract);
      return {
        async send(request, known) {
          const exchange = await sender.send(request, known);
          coverage.observe(exchange);
          cleanup.observe(exchange);
          return comparesRuns ? { ...exchange, contradictions: runs.observe(exchange) } : exchange;
        },
        async [Symbol.asyncDispose]() {
          await cleanup.cancelRuns(sender, variables);
          sender[Symbol.dispose]();
        },
      };
    },
  };
}

/** Records the runs that a sender created, to cancel them after its check. */
interface RunCleanup {
  observe(exchange: Exchange): void;
  /** Cancels the recorded runs. Ignores the answers, because a run that has ended cannot be canceled. */
  cancelRuns(sender: Sender, variables: Variables): Promise<void>;
}

function createRunCleanup({ methods }: Contract): RunCleanup {
  const final = new Set([...methods.values()].flatMap(({ poll }) => poll?.final ?? []));
  const [canceler] = [...methods.values()].filter(({ cancels }) => cancels);
  const { method: creator, run: runMember, request: requestMember } = canceler?.cancels ?? {};
  const open: JsonObject[] = [];

  return {
    observe({ sent, answer }) {
      if (!runMember || !requestMember || !sent.some(({ method }) => method === creator)) return;
      for (const { value } of repliesIn(answer)) {
        const run = valueAt(value, "/result/queryRun");
        const queryRequestId = valueAt(value, "/result/queryRequest/id");
        if (isObject(run) && !final.has(run.state)) open.push({ [runMember]: run.id, [requestMember]: queryRequestId });
      }
    },
    async cancelRuns(sender, variables) {
      if (!canceler || open.length === 0) return;
      const json = open.map((params, id) => ({ jsonrpc: "2.0", method: canceler.name, params: [params], id }));
      await sender.send({ json, connection: "kept" }, variables).catch(() => undefined);
    },
  };
}
