/** State of a run whose result is being stored. */
export interface StoringState {
  /** Called when the engine has the result, or begins to deliver it. */
  begin(): void;
  /**
   * Called when the result is stored. Waits for the change if it was begun.
   * @returns milliseconds since `begin`
   * @throws if the change cannot be stored
   */
  stored(): Promise<number>;
  /** Prevents a change that was not begun. */
  cancel(): void;
}

/**
 * Time after which the run of a result that is still being stored gets a state of its own, in milliseconds. A shorter
 * one would hardly be seen, and costs a change of the run.
 */
const minStoringMs = 25;

/** @param save stores that the result is being stored */
export function createStoringState(save: () => Promise<unknown>): StoringState {
  let begunAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let saved: Promise<unknown> | undefined;
  return {
    begin() {
      begunAt = performance.now();
      timer = setTimeout(() => {
        saved = save();
        saved.catch(() => {}); // `stored` rejects with the same error
      }, minStoringMs);
    },
    async stored() {
      clearTimeout(timer);
      await saved;
      return begunAt === undefined ? 0 : Math.round(performance.now() - begunAt);
    },
    cancel: () => clearTimeout(timer),
  };
}
