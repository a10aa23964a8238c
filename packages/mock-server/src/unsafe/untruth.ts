import { contract } from "@quern/protocol/contract";
import { advice } from "../member-check.ts";

type Methods = typeof contract;
type ParamsOf<Method extends keyof Methods> = NonNullable<Methods[Method]["descriptor"]["~types"]>["params"];

/** The methods whose calls are about one statement. */
export type UnsafeMethod = {
  [Method in keyof Methods]: ParamsOf<Method> extends { readonly sql: string } | { readonly queryRunId: string }
    ? Method
    : never;
}[keyof Methods];

/** Members of a result that are other than the contract has them. */
export type Change = Readonly<Record<string, unknown>>;

/** Changes to results, by method. */
export type Untruths = { readonly [Method in UnsafeMethod]?: Change };

/** @throws TypeError for what cannot be told. */
export function untruth(method: UnsafeMethod, change: Change): Untruths {
  if (!Object.hasOwn(contract, method))
    throw new TypeError(
      `there is no method ${JSON.stringify(method)}; ${advice(String(method), Object.keys(contract))}`,
    );
  if (typeof change !== "object" || change === null || Array.isArray(change))
    throw new TypeError("what is unsafe is said as an object of the members that are other than they should be");
  return { [method]: change };
}
