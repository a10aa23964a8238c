import type { Interceptor } from "@quern/client";

// The library's types know neither the third argument of a reviver nor `rawJSON` yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** Matches numbers that JavaScript may write in another form: fractions, exponents, negative zeros, long integers. */
const oddNumber = /[[,:\s]-?(?:\d+[.eE]|0[\],}\s]|\d{16})/;

/** Reads answers by {@link exactJson}. */
export const keepDigits: Interceptor = async (request, next) => {
  const reply = await next(request);
  return oddNumber.test(reply.text) ? { ...reply, data: parsed(reply.text) } : reply;
};

/** Parses an answer; returns undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

/**
 * `JSON.parse` that keeps the digits of numbers, so that `1.10` and `1.0` are printed as the service wrote them: a number
 * that JavaScript writes otherwise becomes an object that `JSON.stringify` writes as the number. Integers beyond 2^53
 * become strings of their digits, as the client reads them.
 */
function exactJson(text: string): unknown {
  return JSON.parse(text, exactNumber);
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || source === String(value)) return value;
  if (/^-?\d+$/.test(source) && !Number.isSafeInteger(value)) return source;
  return rawJSON(source);
}
