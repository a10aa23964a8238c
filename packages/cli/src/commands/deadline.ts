/** Longest wait for a run by default, in seconds. */
export const runTimeoutSeconds = 1_200;

export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

/** Makes a signal that is aborted after this time, unless it is ended before. */
export function startDeadline(seconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), seconds * 1_000);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
