/** HTTP POST request that interceptors and the transport receive. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text: one JSON-RPC request, or an array of them. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** Names of the methods in the body, in order. */
  readonly methods: readonly string[];
  /** True if a browser completes the request after its page is closed. */
  readonly keepalive?: boolean | undefined;
  /** Option `credentials` of `fetch`: which cookies a browser sends. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
}

/** HTTP response, or the failure to get a complete one. */
export interface HttpReply {
  /** HTTP status; 0 if no complete response arrived. */
  readonly status: number;
  /** Response headers, such as `Headers`; names are case-insensitive. A page of another origin sees only the headers that the service exposes. */
  readonly headers?: { get(name: string): string | null | undefined } | undefined;
  readonly text: string;
  /**
   * Parsed body, if an interceptor parses it.
   * @default `text` parsed as JSON. Integers beyond 2^53 - 1 become strings of their digits if the platform's
   * `JSON.parse` reports the source text; older platforms, such as Node 20, round them.
   */
  readonly data?: unknown;
  /** Reason why no complete response arrived. */
  readonly cause?: FailureCause | undefined;
}

/** Message and code of a failed transport. The original error is not kept because it may hold headers. */
export interface FailureCause extends Error {
  /** Error code of the system, e.g. `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

/** Response to a GET request whose body is read in chunks. */
export interface Download {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Reads the next bytes. Rejects if the body ends before its last byte. */
  read(): Promise<IteratorResult<Uint8Array, unknown>>;
}

/** Bytes of a file, whole or in parts. */
export type FileBytes = Blob | Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Returns the size of a file in bytes; undefined for a stream. */
export function sizeOf(file: FileBytes): number | undefined {
  if (file instanceof Uint8Array) return file.byteLength;
  return file instanceof Blob ? file.size : undefined;
}

/** Sends one request. Rejects if no complete response arrives. */
export type Transport = (request: HttpRequest) => Promise<HttpReply>;

/** Middleware between the client and its transport: it may change the request or the reply, or reply by itself. */
export type Interceptor = (request: HttpRequest, next: Transport) => Promise<HttpReply>;

/** Subset of `fetch` that the client uses. */
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
