import type { Reply } from "@quern/json-rpc/handler";
import type { Random } from "../random.ts";
import { type Call, lastingParams } from "../wire/call.ts";
import { declaredError } from "../wire/declared-error.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { traitsOf } from "../wire/method-traits.ts";
import { isReplyTo, type ReplyBody, type ReplyObject, replyBody, withBody, withHead } from "../wire/reply.ts";
import { shakenResult } from "./result.ts";
import type { Shake } from "./shake.ts";

export interface ShakeState {
  readonly shake: Shake | undefined;
}

/** Answers as `next` does, with what the contract leaves open as the seed of a namespace says. */
export const shakeMiddleware: Middleware<ShakeState> = (exchange, next) => {
  const shake = exchange.namespace?.shake;
  return shake === undefined ? next() : shaken(exchange, next, shake);
};

async function shaken({ calls }: Exchange<ShakeState>, next: Next, shake: Shake): Promise<Reply> {
  const reply = await next();
  if (reply.body === null) return reply;
  // Ids beyond what a double holds would not be the same again.
  if (calls.some((call) => typeof call?.id === "number" && Math.abs(call.id) > Number.MAX_SAFE_INTEGER)) return reply;
  const random = shake.chancesOf(JSON.stringify(calls.map((call) => [call?.method, lastingParams(call?.params)])));
  for (let turns = random.below(3); turns > 0; turns--) await new Promise((resolve) => setTimeout(resolve));
  const type = random.pick(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]);
  const { headers, status } = reply;
  const told = withHead(reply, { status, headers: { ...headers, "content-type": type } });
  const body = shakenBody(replyBody(reply), calls, shake, random);
  return body.objects.length === 0 ? told : withBody(told, body, shakenText(body, random));
}

function shakenBody(
  { isBatch, objects }: ReplyBody,
  calls: readonly (Call | undefined)[],
  shake: Shake,
  random: Random,
): ReplyBody {
  // A handler answers in an order of its own.
  const replies = objects.map((reply) => {
    const call = calls.find((one) => isReplyTo(one, reply));
    const smaller = call === undefined ? reply : ofSmallerPages(reply, call, shake);
    const result =
      call === undefined || smaller.result === undefined
        ? smaller
        : { ...smaller, result: shakenResult(call.method, smaller.result, random) };
    return Object.fromEntries(random.shuffled(Object.entries(result)));
  });
  return { isBatch, objects: isBatch ? random.shuffled(replies) : replies };
}

function shakenText({ isBatch, objects }: ReplyBody, random: Random): string {
  const json = JSON.stringify(isBatch ? objects : objects[0], null, random.pick([0, 0, 2]));
  return random.oneIn(2) ? json : json.replace(/[^ -~\n]/g, escaped);
}

/** A page of more rows than a server has room for is an error that the contract has, and a smaller one is not. */
function ofSmallerPages(reply: ReplyObject, call: Call, { maxPageSize }: Shake): ReplyObject {
  const { rows } = (reply.result ?? {}) as { readonly rows?: unknown }; // of whatever method
  if (!traitsOf(call.method).pages || !Array.isArray(rows) || rows.length <= maxPageSize) return reply;
  const { code, message, data } = declaredError("RequestedPageSizeTooLarge", { maxPageSize });
  return { jsonrpc: reply.jsonrpc, id: reply.id, error: { code, message, data } };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
