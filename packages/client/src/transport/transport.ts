/** One HTTP POST, as an interceptor and a transport see it. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text: one JSON-RPC request, or an array of them. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** Names of the methods that travel in the body, in order. */
  readonly methods: readonly string[];
  /** Whether a browser sees it through where its page is left. */
  readonly keepalive?: boolean | undefined;
  /** Cookies that a browser sends, as `fetch` takes it. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
}

export interface HttpReply {
  /** 0 where no whole answer came. */
  readonly status: number;
  /** Response headers, by name in any case; a page of another origin sees those that the service exposes. `Headers` is one. */
  readonly headers?: { get(name: string): string | null | undefined } | undefined;
  readonly text: string;
  /** The text as a value, where an interceptor parses it: by default integers beyond 2^53 become strings of their digits. */
  readonly data?: unknown;
  /** Why no whole answer came. */
  readonly cause?: FailureCause | undefined;
}

/** What is told of a failed way; the error that the transport threw may carry headers. */
export interface FailureCause extends Error {
  /** As the system names it, e.g. `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

/** Sends one request; rejects where no whole answer came. */
export type Transport = (request: HttpRequest) => Promise<HttpReply>;

/** Stands between the client and its transport: sees each HTTP exchange, may change either half of it, or answer by itself. */
export type Interceptor = (request: HttpRequest, next: Transport) => Promise<HttpReply>;

/** The part of `fetch` the client uses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: "POST";
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
    readonly keepalive: boolean;
    readonly credentials?: "omit" | "same-origin" | "include";
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;
