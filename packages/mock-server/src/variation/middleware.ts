import type { Reply } from "@quern/json-rpc/handler";
import type { Random } from "../random.ts";
import { type Call, lastingParams } from "../wire/call.ts";
import { declaredError, traitsOf } from "../wire/contract-methods.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { isReplyTo, type ReplyBody, type ReplyObject, replyBody, withBody, withHead } from "../wire/reply.ts";
import { variedResult } from "./result.ts";
import type { Variation } from "./variation.ts";

export interface VariationState {
  readonly variation: Variation | undefined;
}

/** Varies in the replies of `next` everything that the contract leaves open, by the `variationSeed` of a namespace. */
export const variationMiddleware: Middleware<VariationState> = (exchange, next) => {
  const variation = exchange.namespace?.variation;
  return variation === undefined ? next() : varied(exchange, next, variation);
};

async function varied({ calls }: Exchange<VariationState>, next: Next, variation: Variation): Promise<Reply> {
  const reply = await next();
  if (reply.body === null) return reply;
  // Parsing has rounded ids beyond 2^53 - 1, so they cannot be echoed exactly.
  if (calls.some((call) => typeof call?.id === "number" && Math.abs(call.id) > Number.MAX_SAFE_INTEGER)) return reply;
  const random = variation.randomFor(JSON.stringify(calls.map((call) => [call?.method, lastingParams(call?.params)])));
  // The delay lets concurrent requests be answered in another order.
  for (let delays = random.below(3); delays > 0; delays--) await new Promise((resolve) => setTimeout(resolve));
  const type = random.pick(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]);
  const { headers, status } = reply;
  const headed = withHead(reply, { status, headers: { ...headers, "content-type": type } });
  const body = variedBody(replyBody(reply), calls, variation, random);
  return body.objects.length === 0 ? headed : withBody(headed, body, variedText(body, random));
}

function variedBody(
  { isBatch, objects }: ReplyBody,
  calls: readonly (Call | undefined)[],
  variation: Variation,
  random: Random,
): ReplyBody {
  const replies = objects.map((reply) => {
    const call = calls.find((one) => isReplyTo(one, reply));
    const limited = call === undefined ? reply : withPageLimit(reply, call, variation);
    const result =
      call === undefined || limited.result === undefined
        ? limited
        : { ...limited, result: variedResult(call.method, limited.result, random) };
    return Object.fromEntries(random.shuffled(Object.entries(result)));
  });
  return { isBatch, objects: isBatch ? random.shuffled(replies) : replies };
}

function variedText({ isBatch, objects }: ReplyBody, random: Random): string {
  const json = JSON.stringify(isBatch ? objects : objects[0], null, random.pick([0, 0, 2]));
  return random.oneIn(2) ? json : json.replace(/[^ -~\n]/g, escaped);
}

interface WithRows {
  readonly rows?: unknown;
  /** First page of a run, in the result of the method that creates it. */
  readonly results?: { readonly rows?: unknown };
}

/**
 * Replaces a page of more rows than `maxPageSize` by the contract's error, and omits such a first page; the contract
 * allows no shorter page.
 */
function withPageLimit(reply: ReplyObject, call: Call, { maxPageSize }: Variation): ReplyObject {
  const { rows, results } = (reply.result ?? {}) as WithRows; // only some methods have rows
  if (Array.isArray(results?.rows) && results.rows.length > maxPageSize)
    return { ...reply, result: { ...(reply.result as object), results: undefined } };
  if (!traitsOf(call.method).pages || !Array.isArray(rows) || rows.length <= maxPageSize) return reply;
  const { code, message, data } = declaredError("RequestedPageSizeTooLarge", { maxPageSize });
  return { jsonrpc: reply.jsonrpc, id: reply.id, error: { code, message, data } };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
