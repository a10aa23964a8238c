/** Formats a whole number with commas, as `toLocaleString("en")` does, which takes Node 20 ms at its first call. */
export function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
