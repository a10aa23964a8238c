import { decodeReply, type ErrorObject } from "@quern/json-rpc/envelope";
import type { Call } from "./call.ts";
import { parseJson } from "./json.ts";
import { type ErrorDetails, type ErrorKind, QuernError } from "./quern-error.ts";
import { isTransient } from "./retry.ts";
import type { HttpReply } from "./transport.ts";

/** The body of a reply as a value; undefined where it is no JSON. */
export function bodyOf({ text }: HttpReply): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Servers that do not know batches answer the array as one bad request, or break on it. */
export function isBatchRefusal(reply: HttpReply, body: unknown): boolean {
  const { status } = reply;
  if (Array.isArray(body) || isTransient(reply) || status === 401 || status === 403) return false;
  return status < 300 || status >= 400;
}

/** Gives each call its part of the answer, by id; what is left without one fails. */
export function deliver(calls: readonly Call[], reply: HttpReply, body: unknown): void {
  const { status } = reply;
  const byId = new Map(calls.map((call) => [String(call.id), call]));
  for (const item of Array.isArray(body) ? body : [body]) {
    const decoded = decodeReply(item);
    // The body of a gateway's failure is not the method's answer.
    if (!decoded || (status >= 500 && item === body)) continue;
    const named = byId.get(String(decoded.id));
    // An answer without an id that stands alone speaks to everyone it can mean.
    const meant = named ? [named] : item === body && (decoded.id ?? null) === null ? calls : [];
    for (const call of meant) {
      if (decoded.error) call.fail(methodError(call, decoded.error, status));
      else if (named || calls.length === 1) call.succeed(decoded.result);
    }
  }
  if (status >= 200 && status < 300) {
    failAll(calls, "protocol", "the server's answer is no JSON-RPC reply to this call");
  } else {
    failAll(calls, "http", `the server answered HTTP ${status}`, { status });
  }
}

/** Fails the calls that are not settled yet. */
export function failAll(calls: readonly Call[], kind: ErrorKind, text: string, details?: ErrorDetails): void {
  for (const { descriptor, settled, fail } of calls) {
    const method = descriptor.name;
    if (!settled) fail(new QuernError(kind, `${method}: ${text}`, { ...details, method }));
  }
}

function methodError({ descriptor }: Call, { code, message, data }: ErrorObject, status: number): QuernError {
  const method = descriptor.name;
  const errorName = descriptor.errors[code];
  const text = `${method}: ${message} (${errorName ?? "error"} ${code})`;
  const details = { code, data, errorName, method, ...(status !== 200 && { status }) };
  return new QuernError(errorName ? "rpc" : "undeclared", text, details);
}
