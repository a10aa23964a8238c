const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds, or a number with its unit, such as `"250ms"`, `"30s"` or `"2h"`. */
export type Duration = number | `${number}${keyof typeof unitMs}`;

/** Returns milliseconds. @throws RangeError for a value that is not a duration, and for a negative one. */
export function durationMs(duration: Duration): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(String(duration)) ?? [];
  // The pattern matches the units of the table only.
  const ms = typeof duration === "number" ? duration : Number(amount) * unitMs[unit as keyof typeof unitMs];
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new RangeError(
    `invalid duration ${JSON.stringify(duration)}: write a number of milliseconds, or "250ms", "30s", "5m", "2h", "1d"`,
  );
}

/** Returns a duration in the largest unit that divides it, such as `30s`. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(unitMs).findLast(([, size]) => ms >= size && ms % size === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
