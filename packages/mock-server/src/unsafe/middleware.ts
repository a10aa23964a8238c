import type { Reply } from "@quern/json-rpc/handler";
import { describedQuery, type MockQuery, type StatementParams } from "../statement/query.ts";
import { type Call, callText } from "../wire/call.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { isReplyTo, merged, replyBody, withBody } from "../wire/reply.ts";
import type { Untruths } from "./untruth.ts";

interface UnsafePlan {
  readonly untruths?: Untruths;
  /** Text of the stub's matcher. */
  readonly stub?: string;
}

/** Plans of a namespace, and its list of unsafe answers. */
export interface UnsafeState {
  readonly stubs: { readonly areUnsafe: boolean };
  readonly runs: { get(id: string): { readonly plan: UnsafePlan } | undefined };
  readonly history: { tell(text: string): void };
  describedPlan(query: MockQuery): UnsafePlan | undefined;
}

/** Answers as `next` does, except for the members that stubs change by `unsafe`. */
export const unsafeMiddleware: Middleware<UnsafeState> = (exchange, next) => {
  const { namespace } = exchange;
  return namespace?.stubs.areUnsafe ? changed(namespace, exchange, next) : next();
};

async function changed(state: UnsafeState, { calls }: Exchange<UnsafeState>, next: Next): Promise<Reply> {
  const reply = await next();
  if (reply.body === null) return reply;
  const { isBatch, objects } = replyBody(reply);
  const told = objects.map((one) => {
    const call = calls.find((asked) => isReplyTo(asked, one));
    return call === undefined || one.result === undefined ? one : { ...one, result: resultOf(state, call, one.result) };
  });
  return withBody(reply, { isBatch, objects: told });
}

/** Returns the result with the members that the stub of its statement changes. */
function resultOf(state: UnsafeState, call: Call, result: unknown): unknown {
  const { untruths, stub } = planOf(state, call, result) ?? {};
  const change = new Map(Object.entries(untruths ?? {})).get(call.method);
  if (change === undefined) return result;
  state.history.tell(`${callText(call.method, call.params)} by when(${stub})`);
  return merged(result, change);
}

/** Returns the plan for the statement that a call is about; the handler has validated params and result. */
function planOf({ runs, describedPlan }: UnsafeState, { params }: Call, result: unknown): UnsafePlan | undefined {
  const { sql, queryRunId, ...more } = params as Partial<StatementParams> & { readonly queryRunId?: string };
  const { queryRun } = result as { readonly queryRun?: { readonly id: string } };
  const id = queryRunId ?? queryRun?.id;
  if (id !== undefined) return runs.get(id)?.plan;
  return sql === undefined ? undefined : describedPlan(describedQuery({ sql, ...more }));
}
