import type { ErrorObject, MethodDescriptor } from "@quern/json-rpc/envelope";
import { batchesOf, createBatchQueue } from "./batch-queue.ts";
import { type CallOptions, startCall } from "./call.ts";
import { checkOptions } from "./check-options.ts";
import { pause, type Sleep } from "./deadline.ts";
import { createExchange } from "./exchange.ts";
import { createPost, endpointOf, type PostOptions } from "./post.ts";

/** Options of `createClient`. */
export interface ClientOptions extends PostOptions {
  /**
   * Time limit of a call with its retries, in milliseconds. A poll that the service may hold takes up to 20 seconds more.
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Time without a successful answer from the service after which waiting for a run and reading its pages fail, in
   * milliseconds.
   * @default 300_000
   */
  readonly outageTimeoutMs?: number | undefined;
  /**
   * Part of every cache key, such as the id of the user: clients with different scopes do not share cached data. Must not be a secret.
   * @default ""
   */
  readonly cacheScope?: string | undefined;
  /**
   * Number of retries after a transient fault (no answer, HTTP 408, 429, 502 and above) or a rate-limit error.
   * @default 4
   */
  readonly retries?: number | undefined;
  /**
   * Waits between polls and before retries. It must resolve early when the signal is aborted. For tests with a virtual clock.
   * @default a timer
   */
  readonly sleep?: Sleep | undefined;
  /**
   * Sends calls that are made together as JSON-RPC batches of at most 50 calls.
   * @default true
   */
  readonly batch?: boolean | undefined;
}

/** Features of the service that a client has detected, and the creates that it holds, for this package alone. An optional member is undefined until it is known. */
export interface ServerFeatures {
  /** Answers batches. Starts as the option `batch`; false once the service has failed to answer one. */
  batch: boolean;
  /** Knows `waitSeconds` in polls. */
  longPoll?: boolean;
  /** Echoes idempotency keys, so a create is safe to repeat. */
  idempotency?: boolean;
  /** Knows `waitSeconds` and `results` in creates. */
  firstPage?: boolean;
  /** Number of groups of creates that the service may hold at present. */
  heldGroups?: number;
  /** Offers downloads of results; false once it has refused one. */
  downloads?: boolean;
  /** True while creates join the last held group: those of one microtask share a batch. */
  isGrouping?: boolean;
}

/** Results of `typeof` that each option may have, separated by a space. */
const optionTypes: Readonly<Record<keyof ClientOptions, string>> = {
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

/** Access to one service with one credential. The functions of this package take it as their first argument. */
export interface Client {
  /** URL of the endpoint, with `/json-rpc`. */
  readonly url: string;
  readonly cacheScope: string;
  readonly timeoutMs: number;
  readonly outageTimeoutMs: number;
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

/** Client as this package uses it. The public type lacks the features, so that programs do not depend on them. */
export interface DetectingClient extends Client {
  readonly server: ServerFeatures;
  /** Option `fetch`, for downloads. */
  readonly fetch: PostOptions["fetch"];
}

/**
 * Creates a client of the service at `url`. It opens no connection until the first call and need not be closed.
 * @throws {TypeError} if `url` is not an http(s) URL or has a user name or password, `apiKey` and `token` are both set, a
 * credential is empty or not printable ASCII, or an option is misspelt or of the wrong type.
 */
export function createClient(options: ClientOptions): Client {
  checkOptions("createClient", options, optionTypes);
  const {
    cacheScope = "",
    timeoutMs = 60_000,
    outageTimeoutMs = 300_000,
    retries = 4,
    batch = true,
    sleep = pause,
  } = options;
  const url = endpointOf(options.url);
  const server: ServerFeatures = { batch };
  const exchange = createExchange({ post: createPost(options, url), retries, timeoutMs, sleep, server });
  const enqueue = createBatchQueue((calls) => {
    for (const group of server.batch ? batchesOf(calls) : calls.map((call) => [call])) void exchange(group);
  });
  let lastId = 0;
  const client: DetectingClient = {
    url,
    cacheScope,
    timeoutMs,
    outageTimeoutMs,
    server,
    fetch: options.fetch,
    sleep,
    call<Params extends object, Result, Failure extends ErrorObject>(
      descriptor: MethodDescriptor<Params, Result, Failure>,
      params: Params,
      callOptions?: CallOptions,
    ) {
      lastId += 1;
      const withTimeout = { ...callOptions, timeoutMs: callOptions?.timeoutMs ?? timeoutMs };
      // Results are not checked against the document.
      return startCall(lastId, descriptor, params, withTimeout, enqueue) as Promise<Result>;
    },
  };
  return client;
}
