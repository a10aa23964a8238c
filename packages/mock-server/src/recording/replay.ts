import { InternalError } from "@quern/json-rpc/envelope";
import { MethodError } from "@quern/json-rpc/handler";
import { callText } from "../wire/call.ts";
import type { RecordedAnswer, Recording } from "./recording.ts";
import { redactedParams } from "./redaction.ts";

/** Answers calls as they were answered when they were recorded. */
export interface Replay {
  /**
   * What was answered to the nth call like this one; to further ones, what the last was answered.
   * @throws MethodError where that was an error, or where no call like this one was recorded.
   */
  answer(method: string, params: unknown): unknown;
  /** Begins again with what was answered first. */
  clear(): void;
}

export function createReplay({ calls }: Recording, onMiss: (text: string) => void): Replay {
  const byText = new Map<string, RecordedAnswer[]>();
  const times = new Map<string, number>();
  for (const call of calls) {
    const text = textOf(call.method, call.params);
    const others = byText.get(text);
    if (others === undefined) byText.set(text, [call]);
    else others.push(call);
  }

  function missed(method: string, params: unknown): MethodError {
    const recorded = calls
      .filter((call) => call.method === method)
      .map((call) => `\n  ${callText(method, call.params)}`);
    const others =
      recorded.length === 0 ? "; none of that method was" : `; those of that method were${recorded.join("")}`;
    const text = `${callText(method, redactedParams(params))} was not recorded${others}`;
    onMiss(text);
    return new MethodError(InternalError, text);
  }

  return {
    answer(method, params) {
      const text = textOf(method, redactedParams(params));
      const nth = times.get(text) ?? 0;
      times.set(text, nth + 1);
      const like = byText.get(text);
      const call = like?.[nth] ?? like?.at(-1);
      if (call === undefined) throw missed(method, params);
      const { error, result } = call;
      if (error !== undefined) throw new MethodError(error.code, error.message, { data: error.data });
      return withKey(result, params);
    },
    clear: () => times.clear(),
  };
}

/** The same for calls with the same members in any order. */
function textOf(method: string, params: unknown): string {
  return JSON.stringify([method, params], (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** A key is of one call: the request echoes the one that it has now. */
function withKey(result: unknown, params: unknown): unknown {
  const { idempotencyKey } = params as { readonly idempotencyKey?: string }; // of calls that are valid
  const { queryRequest } = result as { readonly queryRequest?: { readonly idempotencyKey?: string | null } };
  if (!queryRequest || typeof queryRequest.idempotencyKey !== "string" || idempotencyKey === undefined) return result;
  return { ...(result as object), queryRequest: { ...queryRequest, idempotencyKey } };
}
