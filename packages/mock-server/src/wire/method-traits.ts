import { contract } from "@quern/protocol/contract";
import type { MethodTraits } from "@quern/protocol/descriptor";

/** A method of the contract, by its name on the wire. */
export type ContractMethod = keyof typeof contract;

const methods = Object.keys(contract) as ContractMethod[];

/** Returns what the document says of a method; nothing for a method that it does not have. */
export function traitsOf(method: string): MethodTraits {
  return Object.hasOwn(contract, method) ? contract[method as ContractMethod].descriptor : {};
}

/** Returns the names of the methods with certain traits, in the order of the document. */
export function methodsWith(test: (traits: MethodTraits) => unknown): readonly ContractMethod[] {
  return methods.filter((method) => test(traitsOf(method)));
}
