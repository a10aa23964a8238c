import type { Reply } from "@quern/json-rpc/handler";
import { describedQuery, type MockQuery, type StatementParams } from "../statement/query.ts";
import { type Call, callText } from "../wire/call.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { isReplyTo, overridden, replyBody, withBody } from "../wire/reply.ts";
import type { ContractViolations } from "./contract-violations.ts";

interface ViolatingPlan {
  readonly violations?: ContractViolations;
  /** Text of the stub's matcher. */
  readonly stub?: string;
}

/** Part of a namespace's state that contract violations use. */
export interface ContractViolationState {
  readonly stubs: { readonly violateContract: boolean };
  readonly runs: { get(id: string): { readonly plan: ViolatingPlan } | undefined };
  readonly history: { noteViolation(text: string): void };
  describedPlan(query: MockQuery): ViolatingPlan | undefined;
}

/** Replaces members of results as stubs request by `violateContract`. */
export const contractViolationMiddleware: Middleware<ContractViolationState> = (exchange, next) => {
  const { namespace } = exchange;
  return namespace?.stubs.violateContract ? withViolations(namespace, exchange, next) : next();
};

async function withViolations(
  state: ContractViolationState,
  { calls }: Exchange<ContractViolationState>,
  next: Next,
): Promise<Reply> {
  const reply = await next();
  if (reply.body === null) return reply;
  const { isBatch, objects } = replyBody(reply);
  const changed = objects.map((object) => {
    const call = calls.find((one) => isReplyTo(one, object));
    return call === undefined || object.result === undefined
      ? object
      : { ...object, result: resultOf(state, call, object.result) };
  });
  return withBody(reply, { isBatch, objects: changed });
}

/** Returns the result with the override of its statement's stub, and notes the violation. */
function resultOf(state: ContractViolationState, call: Call, result: unknown): unknown {
  const { violations, stub } = planOf(state, call, result) ?? {};
  const override = new Map(Object.entries(violations ?? {})).get(call.method);
  if (override === undefined) return result;
  state.history.noteViolation(`${callText(call.method, call.params)} by when(${stub})`);
  return overridden(result, override);
}

/** Returns the plan for the statement of a call. Params and result are those that the handler has validated. */
function planOf(
  { runs, describedPlan }: ContractViolationState,
  { params }: Call,
  result: unknown,
): ViolatingPlan | undefined {
  const { sql, queryRunId, ...more } = params as Partial<StatementParams> & { readonly queryRunId?: string };
  const { queryRun } = result as { readonly queryRun?: { readonly id: string } };
  const id = queryRunId ?? queryRun?.id;
  if (id !== undefined) return runs.get(id)?.plan;
  return sql === undefined ? undefined : describedPlan(describedQuery({ sql, ...more }));
}
