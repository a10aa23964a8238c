import { decodeReply, type ErrorObject, type MethodDescriptor } from "@quern/json-rpc/envelope";
import type { HttpReply } from "../transport/transport.ts";
import type { Call } from "./call.ts";
import { parseJson } from "./json.ts";
import { QuernError } from "./quern-error.ts";

/** The body of a reply as a value; undefined where it is no JSON. */
export function bodyOf(reply: HttpReply): unknown {
  try {
    return reply.data ?? parseJson(reply.text);
  } catch {
    return undefined;
  }
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
  const byId = new Map(calls.map((call) => [String(call.id), call]));
  for (const item of Array.isArray(body) ? body : [body]) {
    const decoded = decodeReply(item);
    // The body of a gateway's failure is not the method's answer.
    if (!decoded || (item === body && status >= 500)) continue;
    const named = byId.get(String(decoded.id));
    // An answer without an id that stands alone speaks to everyone it can mean.
    const meant = named ? [named] : item === body && (decoded.id === null || decoded.id === undefined) ? calls : [];
    for (const call of meant) {
      if (decoded.error) {
        if (!isTooEarly(decoded.error)) call.finish(methodError(call.descriptor, decoded.error, reply));
      } else if (named || calls.length === 1) call.finish(undefined, decoded.result);
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
  if (status < 200 || status > 299) return new QuernError("http", `HTTP ${status}`, { method, ...answerOf(reply) });
  return new QuernError("protocol", "the answer is no JSON-RPC reply to this call", { method, ...answerOf(reply) });
}

/** Returns the members of an error that come from the HTTP answer. */
function answerOf({ status, headers }: HttpReply): { readonly status: number; readonly requestId?: string } {
  const requestId = headers?.get("x-request-id");
  return requestId ? { status, requestId } : { status };
}
