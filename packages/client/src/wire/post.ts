import { createTransport } from "#transport";
import { fetchTransport } from "../transport/fetch.ts";
import type { FailureCause, Fetch, HttpReply, HttpRequest, Interceptor, Transport } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import { type Credential, createCredential } from "./credential.ts";

/** Headers by name. A header with the value `undefined` is not sent. */
export type HeaderValues = Readonly<Record<string, string | undefined>>;

/** Options of the HTTP requests. */
export interface PostOptions {
  /** Base address of the service, with or without `/json-rpc`. In a page it may be relative to the page, e.g. `/quern`. */
  readonly url: string | URL;
  /**
   * API key, sent as `x-api-key`. Without `apiKey` and `token` no credential is sent, e.g. because a proxy
   * authenticates the user by a cookie.
   */
  readonly apiKey?: Credential;
  /** Token, sent as `Authorization: Bearer`. Set either this or `apiKey`. */
  readonly token?: Credential;
  /** Additional headers of each request, or a function that returns them and is called before each request. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
  /**
   * Option `credentials` of `fetch`: which cookies a browser sends. It has no effect with `node:http`.
   * @default "same-origin", as in `fetch`
   */
  readonly credentials?: HttpRequest["credentials"];
  /**
   * Function that sends the requests.
   * @default `globalThis.fetch`; in Node, Deno and Bun `node:http`, which ignores a replaced `globalThis.fetch`
   */
  readonly fetch?: Fetch | undefined;
  /** Middleware around each HTTP exchange; the first one is the outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** Sends calls as one HTTP request. Never rejects: the status of the reply is 0 if no complete response arrived. */
export type Post = (calls: readonly Call[], signal: AbortSignal) => Promise<HttpReply>;

/**
 * Returns the URL of the endpoint.
 * @throws {TypeError} if `url` is not an http(s) URL, or has a user name or password, which would become part of cache
 * keys.
 */
export function endpointOf(url: string | URL): string {
  const endpoint = absolute(url);
  const { protocol } = endpoint;
  if (!/^https?:$/.test(protocol)) throw new TypeError(`Invalid url: expected http: or https:, got ${protocol}`);
  if (endpoint.username || endpoint.password) throw new TypeError("Invalid url: remove its user name and password");
  endpoint.pathname = `${endpoint.pathname.replace(/\/+(json-rpc\/*)?$/, "")}/json-rpc`;
  return endpoint.href;
}

function absolute(url: string | URL): URL {
  try {
    // An empty URL would resolve to the page itself.
    return new URL(url, url ? globalThis.location?.href : undefined);
  } catch {
    const advice = "use an absolute URL, e.g. http://127.0.0.1:8080; a relative one works only in a browser";
    // Masks a password, so that it reaches no log.
    throw new TypeError(`Invalid url: ${JSON.stringify(url)?.replace(/\/\/.*@/, "//…@")}; ${advice}`);
  }
}

/**
 * Creates the function that sends requests to an endpoint.
 * @throws {TypeError} if `apiKey` and `token` are both set, or a header cannot hold the credential.
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
        // Error messages must not quote header values; a short value may be a common word, which must stay.
        if (value.length > 7) secrets.push(value);
      }
      Object.assign(all, { "content-type": "application/json", accept: "application/json" });
      if (secret) all[credential.header] = credential.prefix + secret;
      // An interceptor of a JavaScript program may return nothing.
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

/**
 * Returns an error with the messages of an error and of its `cause`, which holds the reason if `fetch` failed; without
 * the secrets.
 */
function causeOf(error: unknown, secrets: readonly string[]): FailureCause {
  // Any value can be thrown, so each member may be missing. If a connection to several addresses failed, Node's error
  // has a code and no message.
  const { message, code, cause } = (error ?? {}) as Partial<FailureCause>;
  const inner = cause as FailureCause | undefined;
  const text = [message || code || String(error), inner?.message].filter(Boolean).join(": ");
  const redacted = secrets.reduce((message, secret) => message.replaceAll(secret, "…"), text);
  return Object.assign(new Error(redacted), { code: code ?? inner?.code });
}
