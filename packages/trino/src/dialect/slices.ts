import { inSlices } from "@quern/adapter";

/** Work in steps of a few milliseconds. It yields between them, and returns its value after the last one. */
export type Sliced<T> = Generator<undefined, T>;

/** Characters, tokens or values of one step. */
export const sliceSize = 1_024;

let previous: Promise<unknown> = Promise.resolve();

/**
 * Does all steps. Between two of them, the event loop handles other events, so that a long statement blocks no caller.
 * Work of several steps is done one after the other, because the tokens of the longest statement take 25 MB.
 */
export async function finish<T>(work: Sliced<T>): Promise<T> {
  const first = work.next();
  if (first.done === true) return first.value;
  const rest = previous.then(() => inSlices(work));
  previous = rest.catch(() => {});
  return rest;
}
