import { byteLength, type Piece } from "./bytes.ts";
import { bodyTooLarge, errorReply } from "./http.ts";
import type { Limits } from "./limits.ts";
import type { MethodError } from "./method-error.ts";
import type { Reply, RequestHeaders } from "./reply.ts";
import { decodeRequests, type ParsedBody } from "./request.ts";

/**
 * Request whose headers have been authenticated, and whose body has not been read. A transport reads at most
 * `maxBodyBytes` of the body and passes them to `answer`; it discards a larger body and sends `tooLarge`. A refused
 * request has an admission, too: its `answer` is the refusal with the id of the request.
 */
export interface Admission<Body = Piece> {
  readonly maxBodyBytes: number;
  readonly tooLarge: Reply;
  /** @param signal aborted when the client disconnects */
  answer(body: Body, signal?: AbortSignal): Promise<Reply>;
}

/** Answers JSON-RPC requests, independent of the transport. */
export interface Handler<Body = Piece> {
  readonly limits: Limits;
  /**
   * Authenticates a request by its headers. Call it once for each request, before its body is read. Rejects only if
   * `onError` throws, or `authenticate` threw an error whose data cannot be written as JSON. Then
   * `createRequestListener` closes the connection without an answer, and the function of `createFetch` rejects.
   */
  admit(headers: RequestHeaders): Promise<Admission<Body>>;
  /**
   * Authenticates and answers a request whose body has been read, whatever its size. Rejects as `admit`, also if
   * `onError` throws for an error of a method.
   */
  handle(body: Body, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply>;
}

/** Handler that also accepts parsed bodies, from middleware that has parsed them. */
export type ParsedHandler = Handler<Piece | ParsedBody>;

/** Makes a handler of its limits and its function `admit`. */
export function handlerOf<Body>({ limits, admit }: Pick<Handler<Body>, "limits" | "admit">): Handler<Body> {
  return { limits, admit, handle: async (body, headers, signal) => (await admit(headers)).answer(body, signal) };
}

/** Request that `intercepted` passes to its function. */
export interface InterceptedRequest {
  readonly body: Piece;
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns a handler whose replies a function makes, such as middleware. `next` returns the reply of the inner handler,
 * which is the refusal for a request that `authenticate` has refused. A transport answers a body that is too large
 * without the function.
 */
export function intercepted<Body>(
  inner: Handler<Body>,
  answer: (request: InterceptedRequest, next: (body: Body) => Promise<Reply>) => Promise<Reply>,
): Handler {
  return handlerOf({
    limits: inner.limits,
    async admit(headers) {
      const admission = await inner.admit(headers);
      return {
        ...admission,
        answer: (body: Piece, signal) =>
          answer({ body, headers, signal }, (passed) => admission.answer(passed, signal)),
      };
    },
  });
}

/**
 * Maximum size of a small body, in bytes. A refused request with a larger one is answered with the id `null`, so that a
 * caller without a key cannot make the server keep and parse large bodies.
 */
export const smallBodyBytes = 64 * 1024;

/** Returns the admission of an authenticated request. */
export function admitted<Body>(limits: Limits, answer: Admission<Body>["answer"]): Admission<Body> {
  const { maxBodyBytes } = limits;
  return { maxBodyBytes, tooLarge: bodyTooLarge(maxBodyBytes), answer };
}

/** Returns the admission of a request that `authenticate` has refused. */
export function refused(error: MethodError, limits: Limits): Admission<Piece | ParsedBody> {
  const maxBodyBytes = Math.min(smallBodyBytes, limits.maxBodyBytes);
  const tooLarge = errorReply(error);
  return {
    maxBodyBytes,
    tooLarge,
    async answer(body) {
      const text = typeof body === "object" && "text" in body ? body.text : body;
      if (byteLength([text]) > maxBodyBytes) return tooLarge;
      return errorReply(error, decodeRequests(body, limits).member?.idText);
    },
  };
}
