import type { Interceptor } from "@quern/client";

// TypeScript's library does not declare `JSON.rawJSON` and the third argument of a reviver yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** Matches numbers that `JSON.stringify` may write differently: fractions, exponents, negative zeros, long integers. */
const oddNumber = /[[,:\s](?:-?(?:\d+[.eE]|\d{16})|-0[\],}\s])/;

/** Interceptor that parses an answer with {@link exactJson} if it contains a number that {@link oddNumber} matches. */
export const keepDigits: Interceptor = async (request, next) => {
  const reply = await next(request);
  return oddNumber.test(reply.text) ? { ...reply, data: parsed(reply.text) } : reply;
};

/** Parses an answer. Returns undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON and keeps the digits of numbers, so that `1.10` and `1.0` are printed as the service wrote them. A number that
 * JavaScript writes differently becomes a raw JSON object, which `JSON.stringify` writes with the original digits. Integers
 * beyond 2^53 - 1 become strings, as in the client.
 */
function exactJson(text: string): unknown {
  return JSON.parse(text, exactNumber);
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  if (/^-?\d+$/.test(source) && !Number.isSafeInteger(value)) return source;
  return source === String(value) ? value : rawJSON(source);
}
