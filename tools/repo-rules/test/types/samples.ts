import type { Sample } from "./sample.ts";
import { nested } from "./samples/nested.ts";
import { numbers } from "./samples/numbers.ts";
import { texts } from "./samples/texts.ts";
import { times } from "./samples/times.ts";

/** Table of types: values of every type that a column of a result can have. */
export const samples: readonly Sample[] = [...numbers, ...times, ...texts, ...nested];

/** Types of the engine that no column of a result can have, with the reason. */
export const typesWithoutColumns: Readonly<Record<string, string>> = {
  NULL: "a column of NULLs alone is an INTEGER",
  TYPE: "its values are types, which only the engine's own functions take; a statement that selects one fails",
};
