import { type Admission, admitted, handlerOf, type ParsedHandler, refused } from "./admission.ts";
import { arrayText, byteLength, type Piece, type Text } from "./bytes.ts";
import { encodeError, encodeResult } from "./call.ts";
import type { CallContext, Waiting } from "./call-context.ts";
import { mapConcurrently } from "./concurrency.ts";
import { parseExactly } from "./exact-number.ts";
import { describe, issuesError } from "./issue.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { ErrorObject, Schema, ServedMethod } from "./method.ts";
import { InternalError, InvalidParams, MethodNotFound } from "./method.ts";
import { errorObject, MethodError } from "./method-error.ts";
import { jsonReply, type Reply, type RequestHeaders } from "./reply.ts";
import { createReplyBudget } from "./reply-budget.ts";
import {
  type DecodedRequests,
  decodeRequests,
  isEmpty,
  onlyParam,
  type ParsedBody,
  type RequestMember,
} from "./request.ts";
import { checkedText, type Preencoded, preencoded, preencodedBytes, resultText } from "./result-text.ts";

export { type Admission, type Handler, handlerOf, intercepted, type ParsedHandler } from "./admission.ts";
export type { CallContext, Waiting } from "./call-context.ts";
export type { WireIssue } from "./issue.ts";
export { type DeclaredErrors, declaredErrors, type MethodErrorOptions } from "./method-error.ts";
export type { Reply, RequestHeaders } from "./reply.ts";
export { parseBody } from "./request.ts";
export type { Limits, ParsedBody, Piece, Preencoded };
export { byteLength, MethodError, preencoded, preencodedBytes };

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
  /**
   * Called before each member of a batch except the first, for example to count the member against a rate; not after
   * the client has disconnected. A `MethodError` that it throws is the answer to the member, which is then not
   * performed.
   * @param isReplyFull true if an earlier answer exceeded `maxReplyBytes`; the member is not performed in that case
   * @default admits each member until the reply is full, then answers with -32600
   */
  readonly admitMember?: (principal: Principal, isReplyFull: boolean) => void | Promise<void>;
  /**
   * Runs `authenticate`, `admitMember` and each method: `work()` returns the result or rejects. For example, it can convert
   * errors to `MethodError`.
   * @default calls `work`
   */
  readonly around?: <T>(work: () => Promise<T>) => Promise<T>;
  /** @default `defaultLimits`, for each missing member */
  readonly limits?: Partial<Limits>;
  /** OpenRPC document that `rpc.discover` returns. Without a document that method does not exist. */
  readonly document?: unknown;
  /**
   * Parses a number that a double cannot hold as an `ExactNumber`. Bodies that are parsed already keep their values.
   * @default false
   */
  readonly exactNumbers?: boolean;
  /**
   * Validates each result before it is sent. An invalid result becomes an internal error.
   * @default false
   */
  readonly validateResults?: boolean;
  /**
   * Called with each error that is not sent to the client, and with the cause of a `MethodError`, but not with the reason
   * of the signal of a call whose client has disconnected. The method is undefined for an error of `authenticate`.
   */
  readonly onError?: (error: unknown, method: string | undefined, headers: RequestHeaders) => void;
}

/** Context that all calls of one HTTP request share. */
type RequestContext<Principal> = Omit<CallContext<Principal>, "method" | "reserveReply" | keyof Waiting>;

/** Context of one call, without its method. For a further member of a batch, `refusal` returns why it is not performed. */
type MemberContext<Principal> = Omit<CallContext<Principal>, "method"> & {
  readonly refusal?: () => Promise<ErrorObject | undefined>;
};

interface Registered<Principal> {
  readonly params: Schema<unknown>;
  readonly textOf: (result: unknown) => Text;
  readonly run: (params: unknown, context: CallContext<Principal>) => unknown;
}

const internalError: ErrorObject = { code: InternalError, message: "Internal error" };

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

/**
 * Creates the handler of a set of methods. It validates parameters, dispatches calls and batches, and encodes replies.
 */
export function createHandler<const Served extends Methods, Principal>(
  options: HandlerOptions<Served, Principal>,
): ParsedHandler {
  const { admitMember, authenticate, document, onError, exactNumbers, validateResults = false } = options;
  const { around = (work) => work() } = options;
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
  function withoutCause(
    error: MethodError,
    headers: RequestHeaders,
    method?: string,
    signal?: AbortSignal,
  ): MethodError {
    if (error.cause !== undefined && !isDisconnect(error.cause, signal)) onError?.(error.cause, method, headers);
    return error;
  }

  /** Returns the error that refuses a request, for an error of `authenticate`. */
  function refusalOf(error: unknown, headers: RequestHeaders): MethodError {
    if (error instanceof MethodError) return withoutCause(error, headers);
    onError?.(error, undefined, headers);
    return new MethodError(InternalError, internalError.message, { httpStatus: 500 });
  }

  /** Performs a call; returns the JSON text of its result, or its error. */
  async function outcome(
    member: RequestMember,
    caller: MemberContext<Principal>,
    onMethodError?: (error: MethodError) => void,
  ): Promise<Text | ErrorObject> {
    const { method, params } = member;
    const { refusal, ...context } = caller;
    try {
      const fault = (await refusal?.()) ?? member.fault;
      if (fault !== undefined) return fault;
      const found = registered.get(method);
      if (found === undefined) return { code: MethodNotFound, message: `Method not found: ${describe(method)}` };
      const param = method === "rpc.discover" && isEmpty(params) ? { value: undefined } : onlyParam(params);
      if ("code" in param) return param;
      const parsed = found.params["~standard"].validate(param.value);
      if (parsed.issues !== undefined) return issuesError(InvalidParams, "Invalid params", parsed.issues, "/params/0");
      return found.textOf(await around(async () => found.run(parsed.value, { ...context, method })));
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      onMethodError?.(error);
      return errorObject(withoutCause(error, caller.headers, method, caller.signal));
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
      const result = await outcome(member, caller, onMethodError);
      if (idText === undefined) return undefined;
      return typeof result === "object" && "code" in result
        ? encodeError(idText, result)
        : encodeResult(idText, result);
    } catch (error) {
      // Also reached if a result or the data of an error cannot be written as JSON.
      if (!isDisconnect(error, caller.signal)) onError?.(error, method, caller.headers);
      return idText === undefined ? undefined : encodeError(idText, internalError);
    }
  }

  async function answerBatch(
    members: readonly RequestMember[],
    caller: RequestContext<Principal>,
  ): Promise<Text | undefined> {
    const waitsEnded = new AbortController();
    const over = AbortSignal.any([caller.signal, waitsEnded.signal]);
    const endWaits = (): void => waitsEnded.abort();
    const budget = createReplyBudget(limits.maxReplyBytes);
    const answers = await mapConcurrently(members, limits.maxBatchConcurrency, async (member, withoutSlot) => {
      let isRefused = false;
      const refusal = async (): Promise<ErrorObject | undefined> => {
        isRefused = true;
        if (caller.signal.aborted) return internalError; // no client receives it
        const { isSpent } = budget;
        await around(async () => admitMember?.(caller.principal, isSpent));
        isRefused = isSpent;
        return isSpent ? budget.error : undefined;
      };
      const context: MemberContext<Principal> = {
        ...caller,
        endWaits,
        hold: (wait) => withoutSlot(() => wait(over)),
        reserveReply: budget.reserve,
      };
      const text = await answer(member, member === members[0] ? context : { ...context, refusal });
      // A refusal is small. That of a call above a rate says when the call may be sent again.
      return text === undefined || isRefused ? text : budget.fit(member.idText, text);
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
    const alone = {
      hold: <T>(wait: (signal: AbortSignal) => Promise<T>) => wait(caller.signal),
      endWaits: () => undefined,
      reserveReply: () => true,
    };
    return answer(member, { ...caller, ...alone }, onMethodError);
  }

  async function answerBody(
    body: Piece | ParsedBody,
    caller: Omit<RequestContext<Principal>, "onSent">,
  ): Promise<Reply> {
    const sent: (() => void)[] = [];
    let failed: MethodError | undefined;
    const text = await answerAll(
      decodeRequests(body, limits, exactNumbers ? parseExactly : undefined),
      { ...caller, onSent: (callback) => sent.push(callback) },
      (error) => {
        failed = error;
      },
    );
    if (text === undefined) return { status: 204, headers: {}, body: null };
    const reply = jsonReply(text, failed?.httpStatus, failed?.headers);
    return sent.length === 0 ? reply : { ...reply, onSent: () => sent.forEach((each) => void each()) };
  }

  async function admit(headers: RequestHeaders): Promise<Admission<Piece | ParsedBody>> {
    try {
      const principal = await around(async () => authenticate(headers));
      return admitted(limits, (body, signal = new AbortController().signal) =>
        answerBody(body, { principal, headers, signal }),
      );
    } catch (error) {
      return refused(refusalOf(error, headers), limits);
    }
  }

  return handlerOf({ limits, admit });
}

/** Returns true for the end of a call whose client has disconnected, which is no failure. */
function isDisconnect(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === signal.reason;
}
