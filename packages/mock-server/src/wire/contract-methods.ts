import { declaredErrors } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import type { MethodTraits } from "@quern/protocol/descriptor";
import document from "@quern/spec/openrpc.json" with { type: "json" };

/** Method of the contract, by its name on the wire. */
export type ContractMethod = keyof typeof contract;

/** Creates errors with the codes and messages of the OpenRPC document. */
export const { declaredError, invalidParams } = declaredErrors(document.components.errors);

const methods = Object.keys(contract) as ContractMethod[];

/** Returns the traits of a method; none for a method that the OpenRPC document does not have. */
export function traitsOf(method: string): MethodTraits {
  return Object.hasOwn(contract, method) ? contract[method as ContractMethod].descriptor : {};
}

/** Returns the names of the methods whose traits pass a test, in the order of the OpenRPC document. */
export function methodsWith(test: (traits: MethodTraits) => unknown): readonly ContractMethod[] {
  return methods.filter((method) => test(traitsOf(method)));
}
