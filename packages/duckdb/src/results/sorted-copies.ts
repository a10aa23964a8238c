export const sortedEnding = ".sorted";

/** Where the sorted copies of a stored result lie: in a folder beside it, which goes with it. */
export function sortedCopiesOf(resultPath: string): string {
  return resultPath.replace(/\.parquet$/, sortedEnding);
}
