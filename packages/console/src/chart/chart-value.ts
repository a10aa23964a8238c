/** Beyond this size, the difference of two numbers is no double. */
const MAX_DRAWN = 1e300;

/** Returns the number to draw for a value: rounded if a double cannot hold it, undefined if it is no finite number. */
export function drawnNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Math.abs(number) <= MAX_DRAWN ? number : undefined;
}

/** Returns the milliseconds of a date or time of a page; undefined for `infinity`, and beyond the dates of JavaScript. */
export function drawnTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
