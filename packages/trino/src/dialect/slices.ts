import { setImmediate } from "node:timers/promises";

/** Work in steps of a few milliseconds. It yields between them, and returns its value after the last one. */
export type Sliced<T> = Generator<undefined, T>;

/** Characters, tokens or values of one step. */
export const sliceSize = 4_096;

/** Does all steps. Between two of them, the event loop handles other events, so that a long statement blocks no caller. */
export async function finish<T>(work: Sliced<T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
