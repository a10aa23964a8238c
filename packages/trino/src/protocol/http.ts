import { setTimeout } from "node:timers/promises";
import { EngineLostError, startDeadline } from "@quern/adapter";
import { failure } from "../failure.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Time for retries, in milliseconds, after which the engine counts as lost. */
  readonly retryMs: number;
}

/** Response whose whole body was read. */
export interface HttpResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Header of requests for segments, also within pages. They are compressed, and Trino would compress them again by gzip,
 * which takes it almost as long as the query itself.
 */
export const uncompressed = { "accept-encoding": "identity" };

/** Largest body, and largest segment after decompression. */
export const maxBodyBytes = 67_108_864;

/** Time for one attempt with its body. Trino itself answers a poll after a second at most. */
const attemptMs = 120_000;
const firstDelayMs = 100;
const maxDelayMs = 2_000;

/** Statuses for which Trino requires clients to send the request again. */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends a request and reads the body of its response. Retries transient statuses, and failed connections except for a
 * POST, which could start a second query.
 * @throws {EngineLostError} if Trino cannot be reached, or does not recover within `retryMs`
 * @throws {StatementError} `ResultTooLarge` for a body above {@link maxBodyBytes}
 * @throws the reason of the signal, if it is aborted
 */
export async function send(request: HttpRequest): Promise<HttpResponse> {
  const deadline = performance.now() + request.retryMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    const { retry, waitMs = delayMs } = await attempt(request);
    if (!("lost" in retry)) return retry;
    if (!retry.again || performance.now() + waitMs > deadline) throw new EngineLostError(retry.lost);
    await setTimeout(waitMs, undefined, { signal: request.signal }).catch(() => request.signal.throwIfAborted());
  }
}

interface Outcome {
  readonly retry: HttpResponse | { readonly lost: string; readonly again: boolean };
  readonly waitMs?: number;
}

async function attempt({ method, url, headers, body, signal }: HttpRequest): Promise<Outcome> {
  const { origin } = new URL(url);
  const deadline = startDeadline(attemptMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([signal, deadline.signal]),
    });
    if (!transientStatuses.has(response.status))
      return { retry: { status: response.status, body: await read(response) } };
    await response.body?.cancel();
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const lost = `Trino, or its storage, at ${origin} is not available: it answered with the HTTP status ${response.status}.`;
    return {
      retry: { lost, again: true },
      ...(seconds >= 0 ? { waitMs: Math.max(seconds * 1_000, firstDelayMs) } : {}),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TypeError) && !isTimeout(error)) throw error;
    const lost = `Cannot reach Trino, or its storage, at ${origin}: ${reasonOf(error)}.`;
    return { retry: { lost, again: method !== "POST" } };
  } finally {
    deadline.end();
  }
}

async function read(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBodyBytes) throw tooLarge(); // leaving the loop ends the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Creates the failure for a page or segment above {@link maxBodyBytes}. */
export function tooLarge(): Error {
  const message = `A page of the result is larger than ${maxBodyBytes} bytes; select shorter values, or let Trino write smaller segments.`;
  return failure("ResultTooLarge", "RESOURCE", message);
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/** Returns the code of a failed connection, such as ECONNREFUSED. The message of an error could have the headers. */
function reasonOf(error: unknown): string {
  if (isTimeout(error)) return `no answer within ${attemptMs / 1_000} seconds; check the address and the network`;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (typeof code !== "string") return "the connection failed; check the address and the network";
  if (isCertificateFault(code))
    return `its certificate is refused (${code}); name the file of its authority in the variable NODE_EXTRA_CA_CERTS, and restart the service`;
  return `${code}; check the address and the network`;
}

function isCertificateFault(code: string): boolean {
  return /CERT|ISSUER|ERR_(TLS|SSL)/.test(code);
}
