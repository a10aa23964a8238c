import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import type { Random } from "../random.ts";
import { type Call, callOf, jsonOf, lastingParams, membersOf } from "../wire/calls.ts";
import { declaredError } from "../wire/declared-error.ts";
import { traitsOf } from "../wire/method-traits.ts";
import { isReplyTo, type ReplyObject, textOf } from "../wire/reply-object.ts";
import { shakenResult } from "./result.ts";
import type { Shake } from "./shake.ts";

/** Answers as the handler does, with what the contract leaves open as the seed of a caller says. */
export function shakenHandler(handler: Handler, shakeOf: (headers: RequestHeaders) => Shake | undefined): Handler {
  function handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply> {
    const shake = shakeOf(headers);
    const reply = handler.handle(body, headers, signal);
    return shake === undefined ? reply : shaken(body, reply, shake);
  }

  return { ...handler, handle };
}

async function shaken(body: Piece, answered: Promise<Reply>, shake: Shake): Promise<Reply> {
  const reply = await answered;
  if (reply.body === null) return reply;
  const calls = membersOf(jsonOf(body)).members.map(callOf);
  // Ids beyond what a double holds would not be the same again.
  if (calls.some((call) => typeof call?.id === "number" && Math.abs(call.id) > Number.MAX_SAFE_INTEGER)) return reply;
  const random = shake.chancesOf(JSON.stringify(calls.map((call) => [call?.method, lastingParams(call?.params)])));
  for (let turns = random.below(3); turns > 0; turns--) await new Promise((resolve) => setTimeout(resolve));
  const type = random.pick(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]);
  const text = shakenText(textOf(reply), calls, shake, random);
  return { ...reply, headers: { ...reply.headers, "content-type": type }, body: [text] };
}

function shakenText(text: string, calls: readonly (Call | undefined)[], shake: Shake, random: Random): string {
  const { isBatch, members } = membersOf(JSON.parse(text));
  // A handler answers with reply objects, in an order of its own.
  const replies = (members as readonly ReplyObject[]).map((reply) => {
    const call = calls.find((one) => isReplyTo(one, reply));
    const smaller = call === undefined ? reply : ofSmallerPages(reply, call, shake);
    const result =
      call === undefined || smaller.result === undefined
        ? smaller
        : { ...smaller, result: shakenResult(call.method, smaller.result, random) };
    return Object.fromEntries(random.shuffled(Object.entries(result)));
  });
  const json = JSON.stringify(isBatch ? random.shuffled(replies) : replies[0], null, random.pick([0, 0, 2]));
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
