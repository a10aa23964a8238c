// Corrections of `@duckdb/node-api`, for the whole process. `known-faults.test.ts` fails once one is not needed.

import structs from "@duckdb/node-api/lib/vectors/DuckDBStructVector.js";
import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";

declare global {
  /** The types of the library need this one, which only those of a browser have. */
  interface TextDecoder {
    readonly encoding: string;
  }
}

/** It decodes each text with one decoder, which takes a byte order mark off its start. */
Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });

/** Part of the package's vector of structs, whose members are private in its types. */
interface StructVector {
  readonly structType: { readonly entryNames: readonly string[] };
  readonly entryVectors: readonly { getItem(index: number): unknown }[];
  getItem(index: number): { readonly entries: object } | null;
}

/** It assigns the members of a struct to an object, where a member with the name `__proto__` gets lost. */
const lostName = "__proto__";
const prototype = structs.DuckDBStructVector.prototype as unknown as StructVector;
const { getItem } = prototype;
prototype.getItem = function corrected(this: StructVector, index: number) {
  const struct = getItem.call(this, index);
  const at = this.structType.entryNames.indexOf(lostName);
  if (struct === null || at < 0) return struct;
  const value = this.entryVectors[at]?.getItem(index);
  Object.setPrototypeOf(struct.entries, Object.prototype);
  Object.defineProperty(struct.entries, lostName, { value, enumerable: true, configurable: true });
  return struct;
};
