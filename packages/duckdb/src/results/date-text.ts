const dayMs = 86_400_000n;
/** Values by which the engine stores infinity. */
const infiniteDays = 2_147_483_647;
const infiniteTicks = 9_223_372_036_854_775_807n;

/**
 * Returns a date such as `2026-11-20`. Years below 0 or above 9999 have the expanded form of ISO 8601:
 * `+012026-11-20`.
 */
export function dateText(days: number): string {
  if (Math.abs(days) === infiniteDays) return infinity(days > 0);
  const text = isoText(BigInt(days) * dayMs);
  return text.slice(0, text.indexOf("T"));
}

/**
 * Returns a time such as `2026-11-20T09:30:00.000Z`, with at least three digits below the second and no other trailing
 * zeros.
 */
export function timestampText(ticks: bigint, ticksPerSecond: bigint): string {
  if (ticks === infiniteTicks || ticks === -infiniteTicks) return infinity(ticks > 0n);
  const fraction = ((ticks % ticksPerSecond) + ticksPerSecond) % ticksPerSecond;
  const seconds = (ticks - fraction) / ticksPerSecond;
  const digits = ticksPerSecond === 1n ? "" : String(fraction).padStart(String(ticksPerSecond).length - 1, "0");
  const significant = digits.padEnd(3, "0").replace(/(?<=^.{3,})0+$/, "");
  return isoText(seconds * 1_000n).replace(/\.\d+Z$/, `.${significant}Z`);
}

function infinity(positive: boolean): string {
  return positive ? "infinity" : "-infinity";
}

/**
 * Formats a time, also beyond the years that Date supports: the calendar repeats every 400 years, which have 146,097
 * days.
 */
function isoText(ms: bigint): string {
  const limit = 8_640_000_000_000_000n;
  if (ms >= -limit && ms <= limit) return new Date(Number(ms)).toISOString();
  const cycle = 146_097n * dayMs;
  const cycles = ms / cycle;
  const date = new Date(Number(ms % cycle));
  const year = BigInt(date.getUTCFullYear()) + cycles * 400n;
  const sign = year < 0n ? "-" : "+";
  const digits = String(year < 0n ? -year : year).padStart(6, "0");
  return `${sign}${digits}${date.toISOString().replace(/^[+-]?\d+(?=-)/, "")}`;
}
