import { InternalError } from "@quern/json-rpc/envelope";
import { MethodError } from "@quern/json-rpc/handler";
import { callText } from "../wire/call.ts";
import type { RecordedAnswer, Recording } from "./recording.ts";
import { redactedParams } from "./redaction.ts";

/** Answers calls from a recording. */
export interface Replay {
  /**
   * Returns the recorded result of a call. The nth call with the same method and params gets the nth recorded result,
   * and further calls the last.
   * @throws MethodError for a recorded error, and for a call that was not recorded.
   */
  answer(method: string, params: unknown): unknown;
  /** Starts again with the first recorded answers. */
  clear(): void;
}

export function createReplay({ calls }: Recording, onUnrecorded: (text: string) => void): Replay {
  const byText = new Map<string, RecordedAnswer[]>();
  const counts = new Map<string, number>();
  for (const call of calls) {
    const text = textOf(call.method, call.params);
    const others = byText.get(text);
    if (others === undefined) byText.set(text, [call]);
    else others.push(call);
  }

  function unrecorded(method: string, params: unknown): MethodError {
    const recorded = calls
      .filter((call) => call.method === method)
      .map((call) => `\n  ${callText(method, call.params)}`);
    const others =
      recorded.length === 0
        ? "; the recording has no call of the method"
        : `; the recording has these calls of the method:${recorded.join("")}`;
    const text = `${callText(method, redactedParams(params))} was not recorded${others}`;
    onUnrecorded(text);
    return new MethodError(InternalError, text);
  }

  return {
    answer(method, params) {
      const text = textOf(method, redactedParams(params));
      const nth = counts.get(text) ?? 0;
      counts.set(text, nth + 1);
      const equal = byText.get(text);
      const call = equal?.[nth] ?? equal?.at(-1);
      if (call === undefined) throw unrecorded(method, params);
      const { error, result } = call;
      if (error !== undefined) throw new MethodError(error.code, error.message, { data: error.data });
      return withKey(result, params);
    },
    clear: () => counts.clear(),
  };
}

/** Returns the text by which calls are compared; the order of members does not matter. */
function textOf(method: string, params: unknown): string {
  return JSON.stringify([method, params], (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Returns the result with the idempotency key of the current call, which the request repeats. */
function withKey(result: unknown, params: unknown): unknown {
  const { idempotencyKey } = params as { readonly idempotencyKey?: string }; // validated by the handler
  const { queryRequest } = result as { readonly queryRequest?: { readonly idempotencyKey?: string | null } };
  if (!queryRequest || typeof queryRequest.idempotencyKey !== "string" || idempotencyKey === undefined) return result;
  return { ...(result as object), queryRequest: { ...queryRequest, idempotencyKey } };
}
