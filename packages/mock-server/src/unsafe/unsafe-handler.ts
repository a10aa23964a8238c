import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import { merged } from "../faults/misreply.ts";
import { callText } from "../history/likeness.ts";
import type { Namespace } from "../namespaces/namespace.ts";
import { describedQuery, type StatementParams } from "../stubs/matcher.ts";
import type { Plan } from "../stubs/plan.ts";
import { type Call, callOf, jsonOf, membersOf } from "../wire/calls.ts";
import { isReplyTo, type ReplyObject, textOf } from "../wire/reply-object.ts";

type UnsafePlace = Pick<Namespace, "stubs" | "runs" | "history" | "describedPlan">;

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

/** Returns the result with the members that the stub of its statement changes. */
function told(place: UnsafePlace, call: Call, result: unknown): unknown {
  const { untruths, stub } = planOf(place, call, result) ?? {};
  const change = new Map(Object.entries(untruths ?? {})).get(call.method);
  if (change === undefined) return result;
  place.history.tell(`${callText(call.method, call.params)} by when(${stub})`);
  return merged(result, change);
}

/** Returns the plan for the statement that a call is about; the handler has validated params and result. */
function planOf({ runs, describedPlan }: UnsafePlace, { params }: Call, result: unknown): Plan | undefined {
  const { sql, queryRunId, ...more } = params as Partial<StatementParams> & { readonly queryRunId?: string };
  const { queryRun } = result as { readonly queryRun?: { readonly id: string } };
  const id = queryRunId ?? queryRun?.id;
  if (id !== undefined) return runs.get(id)?.plan;
  return sql === undefined ? undefined : describedPlan(describedQuery({ sql, ...more }));
}
