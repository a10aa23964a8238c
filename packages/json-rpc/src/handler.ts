import { arrayText, byteLength, joined, type Piece, piecesOf, type Text } from "./bytes.ts";
import { encodeError, encodeResult } from "./call.ts";
import { mapConcurrently } from "./concurrency.ts";
import { beyondLimit, describe, issueAt, issuesError } from "./issue.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { ErrorObject, Schema, ServedMethod } from "./method.ts";
import { InternalError, InvalidParams, MethodNotFound } from "./method.ts";
import { errorObject, MethodError } from "./method-error.ts";
import { type Preencoded, preencoded, preencodedBytes, preencodedText } from "./preencoded.ts";
import { type DecodedRequests, decodeRequests, type ParsedBody, type RequestMember } from "./request.ts";

export { type DeclaredErrors, declaredErrors } from "./declared-errors.ts";
export type { WireIssue } from "./issue.ts";
export type { MethodErrorOptions } from "./method-error.ts";
export { parseBody } from "./request.ts";
export type { Limits, ParsedBody, Piece, Preencoded };
export { MethodError, preencoded, preencodedBytes };

/** The headers of an HTTP request; `Headers` is one. Names are matched without regard to letter case. */
export interface RequestHeaders {
  get(name: string): string | null;
}

/** What goes back over HTTP. A body is JSON in pieces that follow each other; null where nothing is answered (204). */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Piece[] | null;
  /**
   * What follows the body, as it comes. Where it throws, the answer ends in the middle: the connection is closed, or reset
   * if the cause of the error has the code `ECONNRESET`.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** How a call waits for what takes long, together with the other calls of its HTTP request. */
export interface Waiting {
  /**
   * Performs `wait`, which takes no place among the calls that are performed at the same time.
   * `over` is aborted when the caller is gone, or when another call of the request has settled.
   */
  hold<T>(wait: (over: AbortSignal) => Promise<T>): Promise<T>;
  /** Says that what this call waited for has happened, which ends the waits of all calls of the request. */
  settle(): void;
}

/** What a method's handler knows beside its params. */
export interface CallContext<Principal> extends Waiting {
  readonly principal: Principal;
  readonly headers: RequestHeaders;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  readonly method: string;
}

type Methods = Readonly<Record<string, ServedMethod>>;

/** One function for each method. What it throws is told to the caller if it is a `MethodError`, and hidden otherwise. */
export type MethodHandlers<Served extends Methods, Principal> = {
  readonly [Name in keyof Served]: Served[Name] extends ServedMethod<infer Params, infer Result>
    ? (params: Params, context: CallContext<Principal>) => Result | Preencoded | Promise<Result | Preencoded>
    : never;
};

export interface HandlerOptions<Served extends Methods, Principal> {
  readonly methods: Served;
  readonly handlers: MethodHandlers<Served, Principal>;
  /** Runs once for an HTTP request, a batch too. A `MethodError` that it throws is the whole reply. */
  readonly authenticate: (headers: RequestHeaders) => Principal | Promise<Principal>;
  readonly limits?: Partial<Limits>;
  /** The OpenRPC document that `rpc.discover` answers; without it that method does not exist. */
  readonly document?: unknown;
  /** Check each result before it is sent; one that is not valid is an internal error. Off if left out. */
  readonly validateResults?: boolean;
  /**
   * Called with each error that is not sent to the caller, also the cause of a `MethodError`, and with the headers of the
   * request. The method is undefined for an error of `authenticate`.
   */
  readonly onError?: (error: unknown, method: string | undefined, headers: RequestHeaders) => void;
}

/** Answers JSON-RPC bodies, whatever brought them. */
export interface Handler {
  readonly limits: Limits;
  /** Rejects only where `authenticate` threw an error whose data is no JSON. A door then gives no answer, as for a `stream` that throws. */
  handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply>;
}

/** A handler that takes parsed bodies too, from a caller that has read the calls itself. */
export interface ParsedHandler extends Handler {
  handle(body: Piece | ParsedBody, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply>;
}

/** What all calls of one HTTP request share. */
type Sender<Principal> = Omit<CallContext<Principal>, "method" | keyof Waiting>;

/** The same, and how one of them waits. */
type Caller<Principal> = Sender<Principal> & Waiting;

interface Registered<Principal> {
  readonly params: Schema<unknown>;
  readonly textOf: (result: unknown) => string | Uint8Array;
  readonly run: (params: unknown, context: CallContext<Principal>) => unknown;
}

const utf8 = new TextDecoder();
const jsonHeaders = { "content-type": "application/json" };
const internalError: ErrorObject = { code: InternalError, message: "Internal error" };

function jsonReply(text: Text, status = 200, more?: Readonly<Record<string, string>>): Reply {
  return { status, headers: more === undefined ? jsonHeaders : { ...jsonHeaders, ...more }, body: piecesOf(text) };
}

/** `rpc.discover` as a method like the others. Its params may be left out, which no other method allows. */
function discovery<Principal>(document: unknown): Registered<Principal> {
  const anything: Schema<unknown> = { "~standard": { version: 1, vendor: "quern", validate: (value) => ({ value }) } };
  let result: Preencoded | undefined;
  const run = () => {
    result ??= preencoded(JSON.stringify(document));
    return result;
  };
  return { params: anything, textOf: resultText, run };
}

/** The one object a by-position method takes, or what is wrong with the params. */
function onlyParam(params: unknown): { readonly value: unknown } | ErrorObject {
  const fault = (path: PropertyKey[], expected: string, value: unknown) =>
    issuesError(InvalidParams, "Invalid params", [issueAt(["params", ...path], expected, value)]);
  if (!Array.isArray(params)) return fault([], "an array of one object", params);
  if (params.length === 0) return fault([0], "an object", undefined);
  return params.length > 1 ? fault([1], "nothing: the method takes one object", params[1]) : { value: params[0] };
}

function isEmpty(params: unknown): boolean {
  return params === undefined || (typeof params === "object" && params !== null && Object.keys(params).length === 0);
}

/** The JSON text of a result; a method without one answers null. @throws where it cannot be written as JSON. */
function resultText(result: unknown): string | Uint8Array {
  return preencodedText(result) ?? JSON.stringify(result) ?? "null";
}

/** The same of a result that is checked first, once where the same text is given again. It throws where it is not valid. */
function checkedText(schema: Schema<unknown>): typeof resultText {
  const valid = new WeakSet<object>();
  return (result) => {
    const text = preencodedText(result);
    // Only objects are preencoded.
    if (text !== undefined && valid.has(result as object)) return text;
    const value = text === undefined ? result : JSON.parse(typeof text === "string" ? text : utf8.decode(text));
    const { issues } = schema["~standard"].validate(value);
    if (issues !== undefined) throw new Error(issuesError(InternalError, "The result is not valid", issues).message);
    if (text !== undefined) valid.add(result as object);
    return text ?? resultText(result);
  };
}

/** Lets answers through as long as they fit into one reply together; the others are replaced by an error. */
function replyBudget(maxReplyBytes: number): (idText: string | undefined, answer: Text) => Text {
  let left = maxReplyBytes;
  return (idText = "null", answer) => {
    const pieces = joined(piecesOf(answer));
    const bytes = byteLength(pieces);
    if (bytes > left)
      return encodeError(idText, beyondLimit(`a batch whose answers have at most ${maxReplyBytes} bytes`));
    left -= bytes;
    return pieces;
  };
}

/** Makes the serving end of a set of methods. */
export function createHandler<const Served extends Methods, Principal>(
  options: HandlerOptions<Served, Principal>,
): ParsedHandler {
  const { authenticate, document, onError, validateResults = false } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  // A map, so that `constructor` and `__proto__` are not methods.
  const registered = new Map<string, Registered<Principal>>();
  for (const [name, { params, result }] of Object.entries(options.methods)) {
    // Params are validated by the schema beside the handler, which is what its type says; the map cannot say it.
    const run = options.handlers[name] as Registered<Principal>["run"];
    registered.set(name, { params, textOf: validateResults ? checkedText(result) : resultText, run });
  }
  if (document !== undefined) registered.set("rpc.discover", discovery(document));

  /** What a caller is told of an error; the cause is for the operator. */
  function told(error: MethodError, headers: RequestHeaders, method?: string): MethodError {
    if (error.cause !== undefined) onError?.(error.cause, method, headers);
    return error;
  }

  /** The reply to a request that `authenticate` has thrown for. */
  function refused(error: unknown, body: Piece | ParsedBody, headers: RequestHeaders): Reply {
    if (!(error instanceof MethodError)) onError?.(error, undefined, headers);
    const { message } = internalError;
    const why =
      error instanceof MethodError
        ? told(error, headers)
        : new MethodError(InternalError, message, { httpStatus: 500 });
    const { member } = decodeRequests(body, limits);
    return jsonReply(encodeError(member?.idText ?? "null", errorObject(why)), why.httpStatus ?? 401, why.headers);
  }

  async function outcome(
    member: RequestMember,
    caller: Caller<Principal>,
    thrown?: (error: MethodError) => void,
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
      thrown?.(error);
      return errorObject(told(error, caller.headers, method));
    }
  }

  /** The response object of one member, undefined where nothing is answered. */
  async function answer(
    member: RequestMember,
    caller: Caller<Principal>,
    thrown?: (error: MethodError) => void,
  ): Promise<Text | undefined> {
    const { idText, method } = member;
    try {
      const result = member.fault ?? (await outcome(member, caller, thrown));
      if (idText === undefined) return undefined;
      return typeof result === "string" || result instanceof Uint8Array
        ? encodeResult(idText, result)
        : encodeError(idText, result);
    } catch (error) {
      // Also where a result, or the data of an error, cannot be written as JSON.
      onError?.(error, method, caller.headers);
      return idText === undefined ? undefined : encodeError(idText, internalError);
    }
  }

  async function answerBatch(members: readonly RequestMember[], caller: Sender<Principal>): Promise<Text | undefined> {
    const settled = new AbortController();
    const over = AbortSignal.any([caller.signal, settled.signal]);
    const settle = (): void => settled.abort();
    const fit = replyBudget(limits.maxReplyBytes);
    const answers = await mapConcurrently(members, limits.maxBatchConcurrency, async (member, aside) => {
      const text = await answer(member, { ...caller, settle, hold: (wait) => aside(() => wait(over)) });
      return text === undefined ? undefined : fit(member.idText, text);
    });
    const texts = answers.filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : arrayText(texts);
  }

  function answerAll(
    { fault, member, members }: DecodedRequests,
    caller: Sender<Principal>,
    thrown: (error: MethodError) => void,
  ): Promise<Text | undefined> | Text {
    if (fault !== undefined) return encodeError("null", fault);
    if (members !== undefined) return answerBatch(members, caller);
    return answer(member, { ...caller, hold: (wait) => wait(caller.signal), settle: () => undefined }, thrown);
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
