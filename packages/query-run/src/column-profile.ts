/** Maximum number of frequent values of a profile. */
export const maxFrequentValues = 20;
/** Maximum length of a text in a profile, in characters. */
export const maxTextLength = 200;
/** Maximum number of bins of a histogram. */
const maxBins = 30;

/** Returns the lower bounds of at most 30 bins of the same width, which together have the integers from one to another. */
export function binEdges(lowest: bigint, highest: bigint): readonly bigint[] {
  const width = (highest - lowest) / BigInt(maxBins) + 1n;
  const count = Number((highest - lowest) / width) + 1;
  return Array.from({ length: count }, (_, at) => lowest + width * BigInt(at));
}

/** Returns the lower bounds of at most 30 bins of the same width, which together have the numbers from one to another. */
export function numberEdges(lowest: number, highest: number): readonly number[] {
  // The difference of two doubles can be infinite.
  const edges = Array.from({ length: maxBins }, (_, at) => lowest * (1 - at / maxBins) + highest * (at / maxBins));
  // Between two doubles that are close to each other there are fewer than 30.
  return edges.filter((edge, at) => at === 0 || (edge > (edges[at - 1] ?? edge) && edge < highest));
}
