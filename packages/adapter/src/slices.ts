import { setImmediate } from "node:timers/promises";

/**
 * Does work that yields between steps of a few milliseconds, and returns its value. The event loop handles other events
 * between two steps, so that the check of a long statement delays no other call.
 */
export async function inSlices<T>(work: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
