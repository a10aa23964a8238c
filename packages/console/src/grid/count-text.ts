/** Returns a number with separators between its thousands. */
export const countText = (count: number): string => count.toLocaleString("en-US");

export const rowsText = (count: number): string => `${countText(count)} ${count === 1 ? "row" : "rows"}`;
