import { decodeReply, type ErrorObject, type MethodDescriptor } from "@quern/json-rpc/envelope";
import type { HttpReply } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import { QuernError } from "./quern-error.ts";

/** Matches 16 digits in the position of a JSON number: possibly an integer beyond 2^53 - 1. */
const longInteger = /[[,:\s]-?\d{16}/;

/**
 * Parses the body of a reply; returns undefined if it is not JSON. Integers beyond 2^53 - 1 become strings of their digits, on
 * platforms whose `JSON.parse` reports the source text. A body without long numbers is parsed without a reviver, at full speed.
 */
export function bodyOf({ data, text }: HttpReply): unknown {
  try {
    return data ?? JSON.parse(text, longInteger.test(text) ? exactInteger : undefined);
  } catch {
    return undefined;
  }
}

/** Reviver for `JSON.parse`. */
function exactInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  // Older platforms pass no source: the pattern then tests the string "undefined" and does not match.
  const isLost = /^-?\d+$/.test(source as string) && !Number.isSafeInteger(value);
  return isLost ? source : value;
}

/**
 * Ends each call by its id; calls without an answer fail.
 * @param willRetry Returns true for an error after which the call stays pending, to be sent again.
 */
export function deliver(
  calls: readonly Call[],
  reply: HttpReply,
  body: unknown,
  willRetry: (error: ErrorObject) => boolean = () => false,
): void {
  const { status } = reply;
  const unanswered = new Set(calls);
  for (const item of Array.isArray(body) ? body : [body]) {
    const decoded = decodeReply(item);
    // A gateway may send a JSON body with its own error, which is not an answer of the method.
    if (!decoded || (item === body && status >= 500)) continue;
    const matching = calls.filter(({ id }) => String(id) === String(decoded.id));
    // A single answer without an id concerns all calls of the request.
    const isForAll = item === body && (decoded.id ?? null) === null;
    for (const call of isForAll ? calls : matching) {
      if (decoded.error) {
        if (!willRetry(decoded.error)) call.finish(methodError(call.descriptor, decoded.error, reply));
      } else if (!isForAll || calls.length === 1) call.finish(undefined, decoded.result);
      else continue;
      unanswered.delete(call);
    }
  }
  for (const { descriptor, finish } of unanswered) finish(noAnswer(descriptor, reply));
}

function methodError({ name: method, errors }: MethodDescriptor, error: ErrorObject, reply: HttpReply): QuernError {
  const { code, message, data } = error;
  const errorName = errors[code];
  const details = { code, data, errorName, method, ...httpDetails(reply) };
  return new QuernError(errorName ? "rpc" : "undeclared", `${message} (${errorName ?? "error"} ${code})`, details);
}

function noAnswer({ name: method }: MethodDescriptor, reply: HttpReply): QuernError {
  const { status, cause } = reply;
  // A browser hides the reason if the response is a redirect.
  if (status === 0) return new QuernError("network", `no answer: ${cause?.message ?? "a redirect"}`, { method, cause });
  const details = { method, ...httpDetails(reply) };
  if (status < 200 || status > 299) return new QuernError("http", `HTTP ${status}`, details);
  return new QuernError("protocol", "the answer is not a JSON-RPC reply to this call", details);
}

/** Returns the members of an error that come from the HTTP response. */
function httpDetails({ status, headers }: HttpReply): { readonly status: number; readonly requestId?: string } {
  const requestId = headers?.get("x-request-id");
  return { status, ...(requestId && { requestId }) };
}
