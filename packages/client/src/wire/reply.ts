import { decodeReply, type ErrorObject, type MethodDescriptor } from "@quern/json-rpc/envelope";
import type { HttpReply } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import { QuernError } from "./quern-error.ts";

/** A number that may be an integer beyond 2^53, where a cell of a row or a member would have it. */
const longInteger = /[[,:\s]-?\d{16}/;

/**
 * Returns the body of a reply as a value; undefined where it is not JSON. Integers that a double cannot hold become strings of
 * their digits, where the platform can. Texts without long numbers, almost all of them, are parsed at full speed.
 */
export function bodyOf({ data, text }: HttpReply): unknown {
  try {
    return data ?? JSON.parse(text, longInteger.test(text) ? keptDigits : undefined);
  } catch {
    return undefined;
  }
}

function keptDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  // Older platforms pass no source: the pattern then tests the word "undefined", which is not a number.
  const isLost = /^-?\d+$/.test(source as string) && !Number.isSafeInteger(value);
  return isLost ? source : value;
}

/**
 * Gives each call its part of the answer, by id; what is left without one fails.
 * @param isTooEarly Whether a call is left open, so that it can be sent again: the service has not begun it.
 */
export function deliver(
  calls: readonly Call[],
  reply: HttpReply,
  body: unknown,
  isTooEarly: (error: ErrorObject) => boolean = () => false,
): void {
  const { status } = reply;
  const unanswered = new Set(calls);
  for (const item of Array.isArray(body) ? body : [body]) {
    const decoded = decodeReply(item);
    // The body of a gateway's failure is not the method's answer.
    if (!decoded || (item === body && status >= 500)) continue;
    const named = calls.filter(({ id }) => String(id) === String(decoded.id));
    // An answer without an id that stands alone speaks to everyone it can mean.
    const isForAll = item === body && (decoded.id ?? null) === null;
    for (const call of isForAll ? calls : named) {
      if (decoded.error) {
        if (!isTooEarly(decoded.error)) call.finish(methodError(call.descriptor, decoded.error, reply));
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
  const details = { code, data, errorName, method, ...answerOf(reply) };
  return new QuernError(errorName ? "rpc" : "undeclared", `${message} (${errorName ?? "error"} ${code})`, details);
}

function noAnswer({ name: method }: MethodDescriptor, reply: HttpReply): QuernError {
  const { status, cause } = reply;
  // A browser tells nothing of a redirect that is not followed.
  if (status === 0) return new QuernError("network", `no answer: ${cause?.message ?? "a redirect"}`, { method, cause });
  const details = { method, ...answerOf(reply) };
  if (status < 200 || status > 299) return new QuernError("http", `HTTP ${status}`, details);
  return new QuernError("protocol", "the answer is no JSON-RPC reply to this call", details);
}

/** Returns the members of an error that come from the HTTP answer. */
function answerOf({ status, headers }: HttpReply): { readonly status: number; readonly requestId?: string } {
  const requestId = headers?.get("x-request-id");
  return { status, ...(requestId && { requestId }) };
}
