import { decodeReply, type ErrorObject } from "@quern/json-rpc/envelope";
import type { RateLimitedError } from "@quern/protocol/errors";
import type { HttpReply } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import type { Sleep } from "./deadline.ts";
import type { Post } from "./post.ts";
import { RateLimited } from "./quern-error.ts";
import { bodyOf, deliver } from "./reply.ts";
import { isTransient, isUnprocessed, retryDelayMs } from "./retry.ts";

export interface ExchangeOptions {
  readonly post: Post;
  /** Number of retries after a transient fault. */
  readonly retries: number;
  /** Retries stop if the service asks for a longer wait than this, in milliseconds. */
  readonly timeoutMs: number;
  readonly sleep: Sleep;
  /** `batch` becomes false when the service answers a call that it did not answer in a batch. */
  readonly server: { batch: boolean };
}

/** Sends a batch of calls, retries it, and ends each call. Never rejects. */
export type Exchange = (calls: readonly Call[]) => Promise<void>;

export function createExchange({ post, retries, timeoutMs, sleep, server }: ExchangeOptions): Exchange {
  async function exchange(calls: readonly Call[], wasInBatch = false): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const pending = () => calls.filter(({ done }) => !done);
    const onAbort = () => pending().length > 0 || controller.abort();
    for (const call of calls) {
      call.sent = true;
      call.onAbort = onAbort;
    }
    for (let tries = 0; pending().length > 0; tries += 1) {
      const reply = await post(pending(), signal);
      let delayMs = isTransient(reply) && tries < retries ? retryDelayMs(reply, tries) : Infinity;
      if (delayMs < timeoutMs) {
        // Calls that are not safe to repeat fail here; the others are retried without them.
        const once = pending().filter(({ options }) => options.once);
        if (!isUnprocessed(reply)) deliver(once, reply, undefined);
      } else {
        delayMs = -1;
        endCalls(pending(), reply, wasInBatch, ({ code, data }) => {
          const { retryAfterMs = Infinity } = (data ?? {}) as Partial<RateLimitedError["data"]>; // `retryAfterMs` is checked below.
          const willRetry = code === RateLimited && tries < retries && retryAfterMs < timeoutMs;
          if (willRetry) delayMs = Math.max(0, delayMs, retryAfterMs);
          return willRetry;
        });
      }
      if (delayMs < 0) return;
      await sleep(delayMs, signal);
    }
  }

  function endCalls(
    calls: readonly Call[],
    reply: HttpReply,
    wasInBatch: boolean,
    willRetry: (error: ErrorObject) => boolean,
  ): void {
    const { status } = reply;
    const body = bodyOf(reply);
    const isRefused = status === 401 || status === 403 || isTransient(reply);
    if (calls.length > 1 && !Array.isArray(body) && !isRefused) {
      // The service does not support batches: it rejects the array as one bad request, or fails on it. Each call is
      // sent in a request of its own, unless it may have been processed and is not safe to repeat.
      const isRejected = isUnprocessed(reply) || (status < 300 && decodeReply(body)?.error !== undefined);
      for (const call of calls) {
        if (isRejected || !call.options.once) void exchange([call], true);
        else deliver([call], reply, body);
      }
      return;
    }
    if (wasInBatch && status < 300) server.batch = false;
    deliver(calls, reply, body, willRetry);
  }

  return exchange;
}
