import { contract } from "@quern/protocol/contract";
import { advice } from "../member-check.ts";
import type { ResultOverride } from "../wire/reply.ts";

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
