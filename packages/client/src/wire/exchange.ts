import { decodeReply, type ErrorObject } from "@quern/json-rpc/envelope";
import type { RateLimitedError } from "@quern/protocol/errors";
import type { HttpReply } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import type { Sleep } from "./deadline.ts";
import type { Post } from "./post.ts";
import { RateLimited } from "./quern-error.ts";
import { bodyOf, deliver } from "./reply.ts";
import { isTransient, isUntouched, retryDelayMs } from "./retry.ts";

export interface ExchangeOptions {
  readonly post: Post;
  /** Further attempts after a transient fault. */
  readonly retries: number;
  /** Longest wait between attempts that is worth it, in milliseconds. */
  readonly timeoutMs: number;
  readonly sleep: Sleep;
  /** What is learned: that the server answers singly what it does not answer as a batch. */
  readonly server: { batch: boolean };
}

/** Brings a group of calls to the server and finishes each of them. Never rejects. */
export type Exchange = (calls: readonly Call[]) => Promise<void>;

export function createExchange({ post, retries, timeoutMs, sleep, server }: ExchangeOptions): Exchange {
  async function exchange(calls: readonly Call[], wasInBatch = false): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const open = () => calls.filter(({ done }) => !done);
    const onLeave = () => open().length > 0 || controller.abort();
    for (const call of calls) {
      call.sent = true;
      call.onLeave = onLeave;
    }
    for (let tries = 0; open().length > 0; tries += 1) {
      const reply = await post(open(), signal);
      let delayMs = isTransient(reply) && tries < retries ? retryDelayMs(reply, tries) : Infinity;
      if (delayMs < timeoutMs) {
        // What must not happen twice is given up here; the others go on without it.
        const once = open().filter(({ options }) => options.once);
        if (!isUntouched(reply)) deliver(once, reply, undefined);
      } else {
        delayMs = -1;
        settle(open(), reply, wasInBatch, ({ code, data }) => {
          const { retryAfterMs = Infinity } = (data ?? {}) as Partial<RateLimitedError["data"]>; // Checked here.
          const isTooEarly = code === RateLimited && tries < retries && retryAfterMs < timeoutMs;
          if (isTooEarly) delayMs = Math.max(0, delayMs, retryAfterMs);
          return isTooEarly;
        });
      }
      if (delayMs < 0) return;
      await sleep(delayMs, signal);
    }
  }

  function settle(
    calls: readonly Call[],
    reply: HttpReply,
    wasInBatch: boolean,
    isTooEarly: (error: ErrorObject) => boolean,
  ): void {
    const { status } = reply;
    const body = bodyOf(reply);
    const isRefused = status === 401 || status === 403 || isTransient(reply);
    if (calls.length > 1 && !Array.isArray(body) && !isRefused) {
      // Servers that do not know batches answer the array as one bad request, or break on it.
      const isUnread = isUntouched(reply) || (status < 300 && decodeReply(body)?.error !== undefined);
      for (const call of calls) {
        if (isUnread || !call.options.once) void exchange([call], true);
        else deliver([call], reply, body);
      }
      return;
    }
    if (wasInBatch && status < 300) server.batch = false;
    deliver(calls, reply, body, isTooEarly);
  }

  return exchange;
}
