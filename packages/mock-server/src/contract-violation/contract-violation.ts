import type { Reply } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import { advice } from "../member-check.ts";
import { describedQuery, type MockQuery, type StatementParams } from "../statement/query.ts";
import { type Call, callText } from "../wire/call.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { isReplyTo, overridden, type ResultOverride, replyBody, withBody } from "../wire/reply.ts";

type Methods = typeof contract;
type ParamsOf<Method extends keyof Methods> = NonNullable<Methods[Method]["descriptor"]["~types"]>["params"];

/** Method whose calls are about one statement: it takes the SQL, or the id of a run. */
export type StatementMethod = {
  [Method in keyof Methods]: ParamsOf<Method> extends { readonly sql: string } | { readonly queryRunId: string }
    ? Method
    : never;
}[keyof Methods];

/** Overrides of results by method, not checked against the contract. */
export type ContractViolations = { readonly [Method in StatementMethod]?: ResultOverride };

/**
 * Checks an override that plain JavaScript may pass.
 * @throws TypeError for an unknown method, and for an override that is not an object.
 */
export function contractViolation(method: StatementMethod, override: ResultOverride): ContractViolations {
  if (!Object.hasOwn(contract, method))
    throw new TypeError(
      `violateContract: unknown method ${JSON.stringify(method)}; ${advice(String(method), Object.keys(contract))}`,
    );
  if (typeof override !== "object" || override === null || Array.isArray(override))
    throw new TypeError(
      `violateContract: expected an object of members to replace, got ${JSON.stringify(override) ?? override}`,
    );
  return { [method]: override };
}

interface ViolatingPlan {
  readonly violations?: ContractViolations;
  /** Text of the stub's matcher. */
  readonly stub?: string;
}

/** Part of a namespace's state that contract violations use. */
export interface ContractViolationState {
  readonly stubs: { readonly violateContract: boolean };
  readonly runs: { get(id: string): { readonly plan: ViolatingPlan } | undefined };
  readonly history: { recordViolation(text: string): void };
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

/** Returns the result with the override of its statement's stub, and records the violation. */
function resultOf(state: ContractViolationState, call: Call, result: unknown): unknown {
  const { violations, stub } = planOf(state, call, result) ?? {};
  const override = new Map(Object.entries(violations ?? {})).get(call.method);
  if (override === undefined) return result;
  state.history.recordViolation(`${callText(call.method, call.params)} by when(${stub})`);
  return overridden(result, override);
}

/**
 * Returns the plan for the statement of a call. The handler has validated params and result. Only `rpc.discover` can be
 * called without params.
 */
function planOf(
  { runs, describedPlan }: ContractViolationState,
  { params }: Call,
  result: unknown,
): ViolatingPlan | undefined {
  const { sql, queryRunId, ...more } = (params ?? {}) as Partial<StatementParams> & { readonly queryRunId?: string };
  const { queryRun } = result as { readonly queryRun?: { readonly id: string } };
  const id = queryRunId ?? queryRun?.id;
  if (id !== undefined) return runs.get(id)?.plan;
  return sql === undefined ? undefined : describedPlan(describedQuery({ sql, ...more }));
}
