/** Returns a number with separators between its thousands. */
export const countText = (count: number): string => count.toLocaleString("en-US");
