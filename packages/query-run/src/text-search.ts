/**
 * Maximum number of runs that one call of `listQueryRuns` searches for a text, because SQLite answers nothing else
 * meanwhile. With a million runs and a statement of 430 bytes for every second one, 20,000 of them took 0.6 to 1.3 s on a
 * busy machine (2026-11-29).
 */
export const maxSearchedRuns = 5_000;

/** Size of SQL from which a call of `listQueryRuns` searches no further run. */
export const maxSearchedBytes: number = 4 * 1_024 * 1_024;

/**
 * Returns a function that tests whether a statement contains a text, in upper or lower case. It compares the upper case,
 * since the lower case of a letter can depend on the letters around it, such as that of Σ.
 */
export function textMatcher(text: string): (sql: string) => boolean {
  const wanted = text.toUpperCase();
  return (sql) => sql.toUpperCase().includes(wanted);
}
