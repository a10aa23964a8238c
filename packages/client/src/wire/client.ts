import type { ErrorObject, MethodDescriptor } from "@quern/json-rpc/envelope";
import { type CallOptions, startCall } from "./call.ts";
import { pause, type Sleep } from "./deadline.ts";
import { createExchange } from "./exchange.ts";
import { checkMembers } from "./members.ts";
import { createPost, endpointOf, type PostOptions } from "./post.ts";
import { createQueue, groupsOf } from "./queue.ts";

export interface ClientOptions extends PostOptions {
  /** Longest time a call may take with its retries, in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Longest time without an answer before a wait for a run or the reading of its pages fails, in milliseconds. @default 300_000 */
  readonly outageTimeoutMs?: number | undefined;
  /** Whose data it reads, in a word that is no secret: caches keep what clients of different scopes have read apart. */
  readonly cacheScope?: string | undefined;
  /** Further attempts after a transient fault (no answer, 408, 429, 502 and above); 4 by default. */
  readonly retries?: number | undefined;
  /** Waits between polls and before attempts; ends early and quietly when the signal is aborted. For tests that own the time. */
  readonly sleep?: Sleep | undefined;
  /** Whether calls of one microtask travel together; true by default. */
  readonly batch?: boolean | undefined;
}

/** What a client has learned about its server; undefined until it is known. */
export interface ServerFeatures {
  /** Answers a batch. */
  batch: boolean;
  /** Knows `waitSeconds` in the poll. */
  waits?: boolean;
  /** Echoes an idempotency key, so that a create can be repeated. */
  keys?: boolean;
}

/** The results of `typeof` that each option may have, for programs without types. */
const optionNames: Readonly<Record<keyof ClientOptions, string>> = {
  url: "string object",
  apiKey: "string function",
  token: "string function",
  headers: "object function",
  credentials: "string",
  fetch: "function",
  interceptors: "object",
  timeoutMs: "number",
  outageTimeoutMs: "number",
  cacheScope: "string",
  retries: "number",
  sleep: "function",
  batch: "boolean",
};

/** One service and one caller. Everything else is a function that takes it as its first argument. */
export interface Client {
  readonly url: string;
  readonly cacheScope: string;
  readonly timeoutMs: number;
  readonly outageTimeoutMs: number;
  readonly server: ServerFeatures;
  readonly sleep: Sleep;
  /**
   * Calls a method by its descriptor.
   * @throws {QuernError} of any kind but `failed` and `canceled`.
   */
  call<Params extends object, Result, Failure extends ErrorObject>(
    descriptor: MethodDescriptor<Params, Result, Failure>,
    params: Params,
    options?: CallOptions,
  ): Promise<Result>;
}

/**
 * A client of the service at `url`. It opens nothing until it is used and need not be closed.
 * @throws {TypeError} where `url` is no URL, a credential is empty, or an option is not known.
 */
export function createClient(options: ClientOptions): Client {
  checkMembers("createClient", options, optionNames);
  const { cacheScope = "", timeoutMs = 60_000, outageTimeoutMs = 300_000, retries = 4, batch = true, sleep = pause } = options;
  const url = endpointOf(options.url);
  const server: ServerFeatures = { batch };
  const exchange = createExchange({ post: createPost(options, url), retries, timeoutMs, sleep, server });
  const enqueue = createQueue((calls) => {
    for (const group of server.batch ? groupsOf(calls) : calls.map((call) => [call])) void exchange(group);
  });
  let lastId = 0;
  return {
    url,
    cacheScope,
    timeoutMs,
    outageTimeoutMs,
    server,
    sleep,
    call(descriptor, params, callOptions) {
      lastId += 1;
      const withTimeout = { ...callOptions, timeoutMs: callOptions?.timeoutMs ?? timeoutMs };
      return startCall(lastId, descriptor, params, withTimeout, enqueue);
    },
  };
}
