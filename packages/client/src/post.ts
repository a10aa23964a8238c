import { createTransport } from "#transport";
import type { Call } from "./call.ts";
import { fetchTransport } from "./transport/fetch.ts";
import type { FailureCause, Fetch, HttpReply, Interceptor, Transport } from "./transport.ts";

export interface PostOptions {
  /** Base address of the service, with or without `/json-rpc`. */
  readonly url: string | URL;
  /** Sent as `x-api-key` with each request. */
  readonly apiKey: string;
  /** What carries the requests; by default `fetch`, and `node:http` where there is one. */
  readonly fetch?: Fetch | undefined;
  /** See each HTTP exchange, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** Sends calls as one HTTP request. Never rejects: where no answer came the status of the reply is 0. */
export type Post = (calls: readonly Call[], signal: AbortSignal) => Promise<HttpReply>;

/** @throws {TypeError} where `url` is no address of the web, or has a password, which would be in the keys of caches. */
export function endpointOf(url: string | URL): string {
  const endpoint = new URL(url);
  const { protocol } = endpoint;
  if (!/^https?:$/.test(protocol)) throw new TypeError(`url begins with ${protocol}, not http: or https:`);
  if (endpoint.username || endpoint.password) throw new TypeError("url has a user name or a password");
  endpoint.pathname = `${endpoint.pathname.replace(/\/+(json-rpc\/*)?$/, "")}/json-rpc`;
  return endpoint.href;
}

export function createPost({ url: base, apiKey, fetch, interceptors = [] }: PostOptions): Post {
  if (!/^[ -~]+$/.test(apiKey ?? "")) throw new TypeError("apiKey is empty or no line of ASCII");
  const url = endpointOf(base);
  const headers = { "content-type": "application/json", accept: "application/json", "x-api-key": apiKey };
  const transport = interceptors.reduceRight<Transport>(
    (next, interceptor) => (request) => interceptor(request, next),
    fetch ? fetchTransport(fetch) : createTransport(),
  );

  return async (calls, signal) => {
    const methods = calls.map(({ descriptor }) => descriptor.name);
    const texts = calls.map(({ text }) => text).join();
    const keepalive = calls.every(({ options }) => options.keepalive);
    const body = calls.length > 1 ? `[${texts}]` : texts;
    try {
      // An interceptor may have forgotten to give its reply back.
      return (await transport({ url, headers, body, signal, methods, keepalive })) ?? { status: 200, text: "" };
    } catch (error) {
      return { status: 0, text: "", cause: causeOf(error, apiKey) };
    }
  };
}

/** What an error and the one behind it say; `fetch` hides the reason there. */
function causeOf(error: unknown, apiKey: string): FailureCause {
  // Anything can be thrown; each member is looked for. An error of several addresses has a code and no message.
  const { message, code, cause } = (error ?? {}) as Partial<FailureCause>;
  const inner = cause as FailureCause | undefined;
  const text = [message || code || String(error), inner?.message].filter(Boolean).join(": ");
  return Object.assign(new Error(text.replaceAll(apiKey, "…")), { code: code ?? inner?.code });
}
