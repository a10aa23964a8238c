import { setTimeout } from "node:timers/promises";

/** Returns the time that a function takes, in milliseconds. */
export async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Returns the 99th percentile. */
export function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(0.99 * values.length) - 1] ?? Number.NaN;
}

/**
 * Runs two functions alternately, so that other load on the machine affects both. Returns the times of each, in
 * milliseconds.
 * @param pauseMs Milliseconds before each of them. @default 0
 */
export async function alternately(
  rounds: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  pauseMs = 0,
): Promise<{ readonly ours: readonly number[]; readonly theirs: readonly number[] }> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates, so that neither always finds warm caches.
    const pair = [
      () => elapsed(ours).then((ms) => times.ours.push(ms)),
      () => elapsed(theirs).then((ms) => times.theirs.push(ms)),
    ];
    for (const take of round % 2 === 0 ? pair : pair.toReversed()) {
      if (pauseMs > 0) await setTimeout(pauseMs);
      await take();
    }
  }
  return times;
}

/** Calls that were made, and the time that they took. */
export interface Load {
  readonly calls: number;
  readonly ms: number;
}

/** Lets callers make calls for a time, each the next one when its last one has ended. */
export async function repeatedly(callers: readonly (() => Promise<unknown>)[], windowMs: number): Promise<Load> {
  let calls = 0;
  const start = performance.now();
  const repeat = async (call: () => Promise<unknown>): Promise<void> => {
    while (performance.now() - start < windowMs) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(callers.map(repeat));
  return { calls, ms: performance.now() - start };
}

/** Returns the calls a second of a load. */
export function perSecond({ calls, ms }: Load): number {
  return (calls * 1_000) / ms;
}

/** Measured value with its bound. */
interface Bound {
  readonly what: string;
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit?: string;
}

/** Prints a value with its bound. Sets the exit code to 1 if the value is outside its bound. */
export function bounded({ what, value, atMost, atLeast, unit = "" }: Bound): void {
  const holds = (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
  const bound = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  const digits = value >= 100 ? 0 : 2;
  console.log(`${holds ? "holds " : "MISSED"}  ${what}: ${value.toFixed(digits)}${unit}, may be ${bound}${unit}`);
  if (!holds) process.exitCode = 1;
}
