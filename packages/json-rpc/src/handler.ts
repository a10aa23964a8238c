import { arrayText, byteLength, joined, type Piece, piecesOf, type Text } from "./bytes.ts";
import { encodeError, encodeResult } from "./call.ts";
import { mapConcurrently } from "./concurrency.ts";
import { describe, issueAt, issuesError, limitExceeded } from "./issue.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { ErrorObject, Schema, ServedMethod } from "./method.ts";
import { InternalError, InvalidParams, MethodNotFound } from "./method.ts";
import { errorObject, MethodError } from "./method-error.ts";
import { type DecodedRequests, decodeRequests, type ParsedBody, type RequestMember } from "./request.ts";
import { checkedText, type Preencoded, preencoded, preencodedBytes, resultText } from "./result-text.ts";

export type { WireIssue } from "./issue.ts";
export { type DeclaredErrors, declaredErrors, type MethodErrorOptions } from "./method-error.ts";
export { parseBody } from "./request.ts";
export type { Limits, ParsedBody, Piece, Preencoded };
export { MethodError, preencoded, preencodedBytes };

/** Headers of an HTTP request, such as `Headers`. Names are case-insensitive. */
export interface RequestHeaders {
  get(name: string): string | null;
}

/** HTTP response. The body is JSON in consecutive pieces, or null for a response without a body (204). */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Piece[] | null;
  /**
   * Chunks that follow the body. If the stream throws, the response stays incomplete. In Node the connection is then
   * closed, or reset if the cause of the error has the code `ECONNRESET`.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/**
 * Functions for a call that waits for an event, such as the end of a run. The calls of a batch end their waits
 * together.
 */
export interface Waiting {
  /**
   * Runs `wait` outside the concurrency limit of the batch.
   * @param wait Its signal is aborted when the client disconnects, or when a call of the same batch calls `settle`.
   */
  hold<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Reports that the awaited event has happened. Aborts the signals of the waits of all calls of the batch. */
  settle(): void;
}

/** Context of a call. */
export interface CallContext<Principal> extends Waiting {
  /** Result of `authenticate`. */
  readonly principal: Principal;
  readonly headers: RequestHeaders;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly method: string;
}

type Methods = Readonly<Record<string, ServedMethod>>;

/**
 * One function for each method. A `MethodError` that it throws is sent to the client; any other error is sent as an
 * internal error.
 */
export type MethodHandlers<Served extends Methods, Principal> = {
  readonly [Name in keyof Served]: Served[Name] extends ServedMethod<infer Params, infer Result>
    ? (params: Params, context: CallContext<Principal>) => Result | Preencoded | Promise<Result | Preencoded>
    : never;
};

/** Options of `createHandler`. */
export interface HandlerOptions<Served extends Methods, Principal> {
  readonly methods: Served;
  readonly handlers: MethodHandlers<Served, Principal>;
  /**
   * Authenticates an HTTP request; called once for a batch. A `MethodError` that it throws is the reply to the whole
   * request.
   */
  readonly authenticate: (headers: RequestHeaders) => Principal | Promise<Principal>;
  /** @default `defaultLimits`, for each missing member */
  readonly limits?: Partial<Limits>;
  /** OpenRPC document that `rpc.discover` returns. Without a document that method does not exist. */
  readonly document?: unknown;
  /**
   * Validates each result before it is sent. An invalid result becomes an internal error.
   * @default false
   */
  readonly validateResults?: boolean;
  /**
   * Called with each error that is not sent to the client, and with the cause of a `MethodError`. The method is
   * undefined for an error of `authenticate`.
   */
  readonly onError?: (error: unknown, method: string | undefined, headers: RequestHeaders) => void;
}

/** Answers JSON-RPC request bodies, independent of the transport. */
export interface Handler {
  readonly limits: Limits;
  /**
   * Answers a request body. Rejects only if `onError` throws, or `authenticate` threw an error whose data cannot be
   * written as JSON. Then `createRequestListener` closes the connection without an answer, and the function of
   * `createFetch` rejects.
   */
  handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply>;
}

/** Handler that also accepts parsed bodies, from middleware that has parsed them. */
export interface ParsedHandler extends Handler {
  handle(body: Piece | ParsedBody, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply>;
}

/** Context that all calls of one HTTP request share. */
type RequestContext<Principal> = Omit<CallContext<Principal>, "method" | keyof Waiting>;

/** Context of one call, without its method. */
type MemberContext<Principal> = RequestContext<Principal> & Waiting;

interface Registered<Principal> {
  readonly params: Schema<unknown>;
  readonly textOf: (result: unknown) => string | Uint8Array;
  readonly run: (params: unknown, context: CallContext<Principal>) => unknown;
}

const jsonHeaders = { "content-type": "application/json" };
const internalError: ErrorObject = { code: InternalError, message: "Internal error" };

function jsonReply(text: Text, status = 200, more?: Readonly<Record<string, string>>): Reply {
  return { status, headers: more === undefined ? jsonHeaders : { ...jsonHeaders, ...more }, body: piecesOf(text) };
}

/** Returns the method `rpc.discover`. It is the only method that may be called without params. */
function discovery<Principal>(document: unknown): Registered<Principal> {
  const anything: Schema<unknown> = { "~standard": { version: 1, vendor: "quern", validate: (value) => ({ value }) } };
  let result: Preencoded | undefined;
  const run = () => {
    result ??= preencoded(JSON.stringify(document));
    return result;
  };
  return { params: anything, textOf: resultText, run };
}

/** Returns the only parameter of a call by position, or the error of invalid params. */
function onlyParam(params: unknown): { readonly value: unknown } | ErrorObject {
  const fault = (path: PropertyKey[], expected: string, value: unknown) =>
    issuesError(InvalidParams, "Invalid params", [issueAt(["params", ...path], expected, value)]);
  if (!Array.isArray(params)) return fault([], "an array of one object", params);
  if (params.length === 0) return fault([0], "an object", undefined);
  return params.length > 1 ? fault([1], "one object only", params[1]) : { value: params[0] };
}

function isEmpty(params: unknown): boolean {
  return params === undefined || (typeof params === "object" && params !== null && Object.keys(params).length === 0);
}

/**
 * Returns a function for the answers of one batch. It returns an answer that fits into the bytes that the answers
 * before it have left, and an error for any other one.
 */
function replyBudget(maxReplyBytes: number): (idText: string | undefined, answer: Text) => Text {
  let left = maxReplyBytes;
  return (idText = "null", answer) => {
    const pieces = joined(piecesOf(answer));
    const bytes = byteLength(pieces);
    if (bytes > left)
      return encodeError(idText, limitExceeded(`a batch whose answers have at most ${maxReplyBytes} bytes`));
    left -= bytes;
    return pieces;
  };
}

/**
 * Creates the handler of a set of methods. It validates parameters, dispatches calls and batches, and encodes replies.
 */
export function createHandler<const Served extends Methods, Principal>(
  options: HandlerOptions<Served, Principal>,
): ParsedHandler {
  const { authenticate, document, onError, validateResults = false } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  // A map, so that `constructor` and `__proto__` are not methods.
  const registered = new Map<string, Registered<Principal>>();
  for (const [name, { params, result }] of Object.entries(options.methods)) {
    // The schema of the same method validates the params; the type of the map cannot express that.
    const run = options.handlers[name] as Registered<Principal>["run"];
    registered.set(name, { params, textOf: validateResults ? checkedText(result) : resultText, run });
  }
  if (document !== undefined) registered.set("rpc.discover", discovery(document));

  /** Reports the cause of an error to the operator and returns the error for the client. */
  function withoutCause(error: MethodError, headers: RequestHeaders, method?: string): MethodError {
    if (error.cause !== undefined) onError?.(error.cause, method, headers);
    return error;
  }

  /** Returns the reply to a request that `authenticate` has refused. */
  function refused(error: unknown, body: Piece | ParsedBody, headers: RequestHeaders): Reply {
    if (!(error instanceof MethodError)) onError?.(error, undefined, headers);
    const { message } = internalError;
    const refusal =
      error instanceof MethodError
        ? withoutCause(error, headers)
        : new MethodError(InternalError, message, { httpStatus: 500 });
    const { member } = decodeRequests(body, limits);
    return jsonReply(
      encodeError(member?.idText ?? "null", errorObject(refusal)),
      refusal.httpStatus ?? 401,
      refusal.headers,
    );
  }

  /** Performs a call; returns the JSON text of its result, or its error. */
  async function outcome(
    member: RequestMember,
    caller: MemberContext<Principal>,
    onMethodError?: (error: MethodError) => void,
  ): Promise<string | Uint8Array | ErrorObject> {
    const { method, params } = member;
    const found = registered.get(method);
    if (found === undefined) return { code: MethodNotFound, message: `Method not found: ${describe(method)}` };
    const param = method === "rpc.discover" && isEmpty(params) ? { value: undefined } : onlyParam(params);
    if ("code" in param) return param;
    const parsed = found.params["~standard"].validate(param.value);
    if (parsed.issues !== undefined) return issuesError(InvalidParams, "Invalid params", parsed.issues, "/params/0");
    try {
      return found.textOf(await found.run(parsed.value, { ...caller, method }));
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      onMethodError?.(error);
      return errorObject(withoutCause(error, caller.headers, method));
    }
  }

  /** Returns the response object of one member; undefined for a notification. */
  async function answer(
    member: RequestMember,
    caller: MemberContext<Principal>,
    onMethodError?: (error: MethodError) => void,
  ): Promise<Text | undefined> {
    const { idText, method } = member;
    try {
      const result = member.fault ?? (await outcome(member, caller, onMethodError));
      if (idText === undefined) return undefined;
      return typeof result === "string" || result instanceof Uint8Array
        ? encodeResult(idText, result)
        : encodeError(idText, result);
    } catch (error) {
      // Also reached if a result or the data of an error cannot be written as JSON.
      onError?.(error, method, caller.headers);
      return idText === undefined ? undefined : encodeError(idText, internalError);
    }
  }

  async function answerBatch(
    members: readonly RequestMember[],
    caller: RequestContext<Principal>,
  ): Promise<Text | undefined> {
    const settled = new AbortController();
    const over = AbortSignal.any([caller.signal, settled.signal]);
    const settle = (): void => settled.abort();
    const fit = replyBudget(limits.maxReplyBytes);
    const answers = await mapConcurrently(members, limits.maxBatchConcurrency, async (member, withoutSlot) => {
      const text = await answer(member, { ...caller, settle, hold: (wait) => withoutSlot(() => wait(over)) });
      return text === undefined ? undefined : fit(member.idText, text);
    });
    const texts = answers.filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : arrayText(texts);
  }

  function answerAll(
    { fault, member, members }: DecodedRequests,
    caller: RequestContext<Principal>,
    onMethodError: (error: MethodError) => void,
  ): Promise<Text | undefined> | Text {
    if (fault !== undefined) return encodeError("null", fault);
    if (members !== undefined) return answerBatch(members, caller);
    return answer(member, { ...caller, hold: (wait) => wait(caller.signal), settle: () => undefined }, onMethodError);
  }

  async function handle(
    body: Piece | ParsedBody,
    headers: RequestHeaders,
    signal = new AbortController().signal,
  ): Promise<Reply> {
    let principal: Principal;
    try {
      principal = await authenticate(headers);
    } catch (error) {
      return refused(error, body, headers);
    }
    let status: number | undefined;
    const text = await answerAll(decodeRequests(body, limits), { principal, headers, signal }, ({ httpStatus }) => {
      status = httpStatus;
    });
    return text === undefined ? { status: 204, headers: {}, body: null } : jsonReply(text, status);
  }

  return { limits, handle };
}
