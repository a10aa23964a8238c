import type { Call } from "./call.ts";
import { pause } from "./deadline.ts";
import { bodyOf, deliver, failAll, isBatchRefusal } from "./delivery.ts";
import { isTransient, isUntouched, retryDelayMs, withoutKey } from "./retry.ts";
import { type Tracer, traced } from "./tracer.ts";
import type { HttpReply, Transport } from "./transport.ts";

export interface ExchangeOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly transport: Transport;
  /** Further attempts after a transient fault. */
  readonly retries: number;
  /** Longest wait between attempts that is worth it, in milliseconds. */
  readonly timeoutMs: number;
  readonly tracer: Tracer | undefined;
  /** Called when the server answers singly what it did not answer as a batch. */
  onNoBatch(): void;
}

/** Brings a group of calls to the server and settles each of them. Never rejects. */
export type Exchange = (calls: readonly Call[]) => Promise<void>;

export function createExchange(options: ExchangeOptions): Exchange {
  const { url, apiKey, transport, retries, timeoutMs, tracer, onNoBatch } = options;
  const headers = { "content-type": "application/json", accept: "application/json", "x-api-key": apiKey };

  function attempt(calls: readonly Call[], signal: AbortSignal): Promise<HttpReply> {
    const methods = calls.map(({ descriptor }) => descriptor.name);
    const texts = calls.map(({ text }) => text).join();
    const body = calls.length > 1 ? `[${texts}]` : texts;
    const attributes = { "rpc.method": methods.join(), "rpc.batch.size": methods.length };
    return traced(tracer, "quern.http", attributes, async (span) => {
      const reply = await transport({ url, headers, body, signal, methods });
      span?.setAttribute("http.response.status_code", reply.status);
      return reply;
    });
  }

  async function exchange(calls: readonly Call[], onAnswer?: () => void): Promise<void> {
    const controller = new AbortController();
    const unsettled = () => calls.filter(({ settled }) => !settled);
    for (const call of calls) {
      call.sent = true;
      call.onLeave = () => {
        if (unsettled().length === 0) controller.abort();
      };
    }
    for (let tries = 0; unsettled().length > 0; tries += 1) {
      let reply: HttpReply | undefined;
      let failure: unknown;
      try {
        reply = await attempt(unsettled(), controller.signal);
      } catch (error) {
        failure = error;
      }
      const delayMs = retryDelayMs(reply, tries);
      if (!isTransient(reply) || tries >= retries || delayMs >= timeoutMs) {
        settle(unsettled(), reply, failure, onAnswer);
        return;
      }
      // What must not happen twice is given up here; the others go on without it.
      if (!isUntouched(reply, failure)) {
        const once = unsettled().filter(({ options }) => options.once);
        settle(once, reply, failure);
      }
      await pause(delayMs, controller.signal);
    }
  }

  function settle(calls: readonly Call[], reply: HttpReply | undefined, failure: unknown, onAnswer?: () => void): void {
    for (const call of calls) call.onLeave = undefined;
    const body = reply && bodyOf(reply);
    if (!reply) {
      const cause = withoutKey(failure, apiKey);
      failAll(calls, "network", "no answer came; check the address and the network", { cause });
    } else if (calls.length > 1 && isBatchRefusal(reply, body)) {
      const isUnread = isUntouched(reply, failure) || (reply.status < 300 && typeof body === "object");
      for (const call of calls) {
        if (isUnread || !call.options.once) void exchange([call], onNoBatch);
        else deliver([call], reply, body);
      }
    } else {
      if (reply.status < 300) onAnswer?.();
      deliver(calls, reply, body);
    }
  }

  return exchange;
}
