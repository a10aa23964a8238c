import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import { merged } from "../faults/misreply.ts";
import { callText } from "../history/likeness.ts";
import type { Namespace } from "../namespaces/namespace.ts";
import { type MockQuery, queryOf, type StatementParams } from "../stubs/matcher.ts";
import { type Call, callOf, jsonOf, membersOf } from "../wire/calls.ts";
import { isReplyTo, type ReplyObject, textOf } from "../wire/reply-object.ts";

type UnsafePlace = Pick<Namespace, "stubs" | "runs" | "history">;

/** Answers as the handler does, but for what stubs say by `unsafe`. */
export function unsafeHandler(
  handler: Handler,
  placeOf: (headers: RequestHeaders) => UnsafePlace | undefined,
): Handler {
  function handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply> {
    const place = placeOf(headers);
    const reply = handler.handle(body, headers, signal);
    return place?.stubs.areUnsafe ? changed(place, body, reply) : reply;
  }

  return { ...handler, handle };
}

async function changed(place: UnsafePlace, body: Piece, answered: Promise<Reply>): Promise<Reply> {
  const reply = await answered;
  if (reply.body === null) return reply;
  const calls = membersOf(jsonOf(body)).members.map(callOf);
  const { isBatch, members } = membersOf(jsonOf(textOf(reply)));
  // A handler answers with reply objects.
  const replies = (members as readonly ReplyObject[]).map((one) => {
    const call = calls.find((asked) => isReplyTo(asked, one));
    return call === undefined || one.result === undefined ? one : { ...one, result: told(place, call, one.result) };
  });
  return { ...reply, body: [JSON.stringify(isBatch ? replies : replies[0])] };
}

/** The result, with what the stub of its statement puts in place of members. */
function told({ stubs, runs, history }: UnsafePlace, call: Call, result: unknown): unknown {
  const query = queryIn(call.params, runs);
  const found = query && stubs.untruthFor(query, call.method);
  if (found === undefined) return result;
  history.tell(`${callText(call.method, call.params)} by when(${found.stub})`);
  return merged(result, found.change);
}

/** The statement that a call is about; the handler has found its params valid. */
function queryIn(params: unknown, runs: UnsafePlace["runs"]): MockQuery | undefined {
  const { sql, queryRunId = "", ...more } = params as Partial<StatementParams> & { readonly queryRunId?: string };
  return sql === undefined ? runs.get(queryRunId)?.query : queryOf({ sql, ...more });
}
