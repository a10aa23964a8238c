/** Maximum number of frequent values of a profile. */
export const maxFrequentValues = 20;
/** Maximum length of a text in a profile, in characters. */
export const maxTextLength = 200;
/** Maximum number of bins of a histogram in a profile. */
const maxBins = 30;
/**
 * Number of rows up to which the different values of a result are counted exactly. Above it, the table of the values
 * could exceed the memory of the engine, which then takes minutes.
 */
export const maxExactRows = 5_000_000;

/** Returns the lower bounds of bins of the same width, which together have the integers from one to another. */
export function binEdges(lowest: bigint, highest: bigint, maxCount = maxBins): readonly bigint[] {
  const width = (highest - lowest) / BigInt(maxCount) + 1n;
  const count = Number((highest - lowest) / width) + 1;
  return Array.from({ length: count }, (_, at) => lowest + width * BigInt(at));
}

/** Returns the lower bounds of bins of the same width, which together have the numbers from one to another. */
export function numberEdges(lowest: number, highest: number, maxCount = maxBins): readonly number[] {
  // A bin has several doubles, because the bounds of narrower ones are rounded too much. The difference of two doubles
  // can be infinite, that of their halves cannot.
  const width = Math.max(Math.abs(lowest) * 2 ** -49, Math.abs(highest) * 2 ** -49, 4e-323);
  const count = Math.max(1, Math.min(maxCount, Math.floor((highest / 2 - lowest / 2) / (width / 2))));
  return Array.from({ length: count }, (_, at) => lowest * (1 - at / count) + highest * (at / count));
}
