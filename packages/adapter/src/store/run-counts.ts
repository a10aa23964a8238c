/** Runs that have not ended, by their state. */
export type RunCounts = () => Promise<{ readonly ready: number; readonly running: number; readonly streaming: number }>;
