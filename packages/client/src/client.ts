import { type ErrorObject, encodeRequest, type MethodDescriptor } from "@quern/json-rpc/envelope";
import { createTransport } from "#transport";
import type { Call, CallOptions } from "./call.ts";
import { startDeadline } from "./deadline.ts";
import { createExchange } from "./exchange.ts";
import { QuernError } from "./quern-error.ts";
import { createQueue, groupsOf } from "./queue.ts";
import type { Tracer } from "./tracer.ts";
import { fetchTransport } from "./transport/fetch.ts";
import type { Fetch, Interceptor, Transport } from "./transport.ts";

export interface ClientOptions {
  /** Base address of the service, with or without `/json-rpc`. */
  readonly url: string | URL;
  /** Sent as `x-api-key` with each request. */
  readonly apiKey: string;
  /** Whose data it reads, in a word that is no secret: caches keep what clients of different scopes have read apart. */
  readonly scope?: string | undefined;
  /** What carries the requests; by default `fetch`, and `node:http` where there is one. */
  readonly fetch?: Fetch | undefined;
  /** Longest time a call may take with its retries, in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Further attempts after a transient fault (no answer, 408, 429, 502 and above); 4 by default. */
  readonly retries?: number | undefined;
  /** Whether calls of one microtask travel together; true by default. */
  readonly batch?: boolean | undefined;
  /** See each HTTP exchange, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Gets a span for each HTTP exchange and for each query. */
  readonly tracer?: Tracer | undefined;
}

/** What a client has learned about its server; undefined until it is known. */
export interface ServerTraits {
  /** Answers a batch. */
  batch: boolean;
  /** Knows `waitSeconds` in the poll. */
  waits?: boolean;
  /** Knows the members of a create that go beyond the interface. */
  extras?: boolean;
  /** Echoes an idempotency key, so that a create can be repeated. */
  keys?: boolean;
}

/** One service and one key. Everything else is a function that takes it as its first argument. */
export interface Client {
  readonly url: string;
  readonly scope: string;
  readonly timeoutMs: number;
  readonly server: ServerTraits;
  readonly tracer: Tracer | undefined;
  /**
   * Calls a method by its descriptor.
   * @throws {QuernError} of any kind but `failed` and `canceled`.
   */
  call<Params, Result, Failure extends ErrorObject>(
    descriptor: MethodDescriptor<Params, Result, Failure>,
    params: Params,
    options?: CallOptions,
  ): Promise<Result>;
}

/**
 * A client of the service at `url`. It opens nothing until it is used and need not be closed.
 * @throws {TypeError} where `url` is no URL or `apiKey` is empty.
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, scope = "", fetch, timeoutMs = 60_000, retries = 4, interceptors = [], tracer } = options;
  if (!apiKey) throw new TypeError("createClient: apiKey is empty");
  const url = `${String(new URL(options.url)).replace(/\/+(json-rpc\/*)?$/, "")}/json-rpc`;
  const transport = interceptors.reduceRight<Transport>(
    (next, interceptor) => (request) => interceptor(request, next),
    fetch ? fetchTransport(fetch) : createTransport(),
  );
  const server: ServerTraits = { batch: options.batch ?? true };
  const onNoBatch = () => {
    server.batch = false;
  };
  const exchange = createExchange({ url, apiKey, transport, retries, timeoutMs, tracer, onNoBatch });
  const enqueue = createQueue((calls) => {
    for (const group of groupsOf(calls, server.batch)) void exchange(group);
  });
  let lastId = 0;

  function call<Result>(descriptor: MethodDescriptor, params: unknown, callOptions: CallOptions = {}): Promise<Result> {
    const deadline = { signal: callOptions.signal, timeoutMs: callOptions.timeoutMs ?? timeoutMs };
    return new Promise((resolve, reject) => {
      const finish =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          pending.settled = true;
          end();
          settle(value);
        };
      lastId += 1;
      const pending: Call = {
        id: lastId,
        descriptor,
        text: encodeRequest(lastId, descriptor.name, params),
        options: callOptions,
        settled: false,
        sent: false,
        succeed: finish((result) => resolve(result as Result)), // The service answers what its document says.
        fail: finish(reject),
      };
      const end = startDeadline(deadline, (error, bySignal) => {
        if (bySignal && pending.sent && callOptions.kept) return;
        const { kind, message, cause } = error;
        pending.fail(new QuernError(kind, `${descriptor.name}: ${message}`, { cause, method: descriptor.name }));
        pending.onLeave?.();
      });
      enqueue(pending);
    });
  }

  return { url, scope, timeoutMs, server, tracer, call };
}
