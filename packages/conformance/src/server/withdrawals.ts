import type { Contract } from "./document.ts";
import type { Exchange, Sender } from "./exchange.ts";
import { isObject, type JsonObject, valueAt } from "./json.ts";
import type { Variables } from "./placeholders.ts";
import { repliesIn } from "./replies.ts";

/** Remembers the runs that a sender created, to cancel them once its check is over. */
export interface Withdrawals {
  observe(exchange: Exchange): void;
  /** Cancels the runs. The answers are ignored, because a run that has ended refuses. */
  withdraw(sender: Sender, variables: Variables): Promise<void>;
}

export function createWithdrawals({ methods }: Contract): Withdrawals {
  const final = new Set([...methods.values()].flatMap(({ poll }) => poll?.final ?? []));
  const [canceler] = [...methods.values()].filter(({ cancels }) => cancels);
  const { method: starts, run: runMember, request: requestMember } = canceler?.cancels ?? {};
  const open: JsonObject[] = [];

  return {
    observe({ sent, answer }) {
      if (!runMember || !requestMember || !sent.some(({ method }) => method === starts)) return;
      for (const { value } of repliesIn(answer)) {
        const run = valueAt(value, "/result/queryRun");
        const queryRequestId = valueAt(value, "/result/queryRequest/id");
        if (isObject(run) && !final.has(run.state)) open.push({ [runMember]: run.id, [requestMember]: queryRequestId });
      }
    },
    async withdraw(sender, variables) {
      if (!canceler || open.length === 0) return;
      const json = open.map((params, id) => ({ jsonrpc: "2.0", method: canceler.name, params: [params], id }));
      await sender.send({ json, connection: "kept" }, variables).catch(() => undefined);
    },
  };
}
