import { createTransport } from "#transport";
import { fetchTransport } from "../transport/fetch.ts";
import type { FailureCause, Fetch, HttpReply, HttpRequest, Interceptor, Transport } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import { type Credential, createCredential } from "./credential.ts";

/** Headers by name; a member that is undefined is not sent. */
export type HeaderValues = Readonly<Record<string, string | undefined>>;

export interface PostOptions {
  /** Base address of the service, with or without `/json-rpc`. In a page it may be relative to the page, e.g. `/quern`. */
  readonly url: string | URL;
  /** API key, sent as `x-api-key`. Without `apiKey` and `token` no credential is sent, as behind a proxy with sessions. */
  readonly apiKey?: Credential;
  /** Token, sent as `Authorization: Bearer`. Use it instead of `apiKey`. */
  readonly token?: Credential;
  /** Further headers of each request, or a function that gives them before each request. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
  /**
   * Cookies that a browser sends, as `fetch` takes it. Without effect over `node:http`.
   * @default "same-origin", as in `fetch`
   */
  readonly credentials?: HttpRequest["credentials"];
  /** Function that sends the requests. By default the platform's `fetch`; in Node `node:http`, which does not see a replaced `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined;
  /** See each HTTP exchange, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** Sends calls as one HTTP request. Never rejects: where no answer came the status of the reply is 0. */
export type Post = (calls: readonly Call[], signal: AbortSignal) => Promise<HttpReply>;

/** @throws {TypeError} where `url` is no address of the web, or has a password, which would be in the keys of caches. */
export function endpointOf(url: string | URL): string {
  const endpoint = absolute(url);
  const { protocol } = endpoint;
  if (!/^https?:$/.test(protocol)) throw new TypeError(`url begins with ${protocol}, not http: or https:`);
  if (endpoint.username || endpoint.password) throw new TypeError("url has a user name or a password");
  endpoint.pathname = `${endpoint.pathname.replace(/\/+(json-rpc\/*)?$/, "")}/json-rpc`;
  return endpoint.href;
}

function absolute(url: string | URL): URL {
  try {
    // An empty URL would resolve to the page itself.
    return new URL(url, url ? globalThis.location?.href : undefined);
  } catch {
    const advice = "give the whole address, e.g. http://127.0.0.1:8080; only a page can resolve a relative one";
    // A password in it must not reach a log.
    throw new TypeError(`Invalid url: ${JSON.stringify(url)?.replace(/\/\/.*@/, "//…@")}; ${advice}`);
  }
}

/**
 * @param url Address of the endpoint.
 * @throws {TypeError} if the credential cannot be sent.
 */
export function createPost(options: PostOptions, url: string): Post {
  const { headers, credentials, fetch, interceptors = [] } = options;
  const credential = createCredential(options);
  const transport = interceptors.reduceRight<Transport>(
    (next, interceptor) => (request) => interceptor(request, next),
    fetch ? fetchTransport(fetch) : createTransport(),
  );

  return async (calls, signal) => {
    const methods = calls.map(({ descriptor }) => descriptor.name);
    const texts = calls.map(({ text }) => text).join();
    const keepalive = calls.every(({ options }) => options.keepalive);
    const body = calls.length > 1 ? `[${texts}]` : texts;
    const secrets: string[] = [];

    async function send(secret: string | undefined): Promise<HttpReply> {
      if (secret) secrets.push(secret);
      const all: Record<string, string> = {};
      for (const [name, value] of Object.entries((typeof headers === "function" ? await headers() : headers) ?? {})) {
        if (value === undefined) continue;
        all[name.toLowerCase()] = value;
        // A short value may be a common word, which would be removed from messages.
        if (value.length > 7) secrets.push(value);
      }
      Object.assign(all, { "content-type": "application/json", accept: "application/json" });
      if (secret) all[credential.header] = credential.prefix + secret;
      // An interceptor may have forgotten to give its reply back.
      const request = { url, headers: all, body, signal, methods, keepalive, credentials };
      return (await transport(request)) ?? { status: 200, text: "" };
    }

    try {
      const secret = await credential.current();
      const reply = await send(secret);
      const next = reply.status === 401 ? await credential.renewed(secret) : secret;
      return next === secret ? reply : await send(next);
    } catch (error) {
      return { status: 0, text: "", cause: causeOf(error, secrets) };
    }
  };
}

/** What an error and the one behind it say; `fetch` hides the reason there. */
function causeOf(error: unknown, secrets: readonly string[]): FailureCause {
  // Anything can be thrown; each member is looked for. An error of several addresses has a code and no message.
  const { message, code, cause } = (error ?? {}) as Partial<FailureCause>;
  const inner = cause as FailureCause | undefined;
  const text = [message || code || String(error), inner?.message].filter(Boolean).join(": ");
  const told = secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), text);
  return Object.assign(new Error(told), { code: code ?? inner?.code });
}
