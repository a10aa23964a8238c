/** Note that the result of a run is being stored. */
export interface StoringNote {
  /** Called when the engine has the result, or begins to deliver it. */
  begin(): void;
  /**
   * Called when the result is stored. Waits for the note if it was begun.
   * @returns milliseconds since `begin`
   * @throws if the note cannot be stored
   */
  stored(): Promise<number>;
  /** Prevents a note that was not begun. */
  cancel(): void;
}

/**
 * Time after which the run of a result that is still being stored gets a state of its own, in milliseconds. A shorter
 * one would hardly be seen, and costs a change of the run.
 */
const unnotedMs = 25;

/** @param note stores that the result is being stored */
export function createStoringNote(note: () => Promise<unknown>): StoringNote {
  let begunAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let noted: Promise<unknown> | undefined;
  return {
    begin() {
      begunAt = performance.now();
      timer = setTimeout(() => {
        noted = note();
        noted.catch(() => {}); // `stored` rejects with the same error
      }, unnotedMs);
    },
    async stored() {
      clearTimeout(timer);
      await noted;
      return begunAt === undefined ? 0 : Math.round(performance.now() - begunAt);
    },
    cancel: () => clearTimeout(timer),
  };
}
