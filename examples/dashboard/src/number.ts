const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** Formats a number for an axis, e.g. 1.2M. */
export const shortNumber = (value: unknown) => short.format(Number(value));

/** Formats a value for a cell: numbers with thousands separators, a dash for null, other values as text. */
export const cellText = (value: unknown) => (typeof value === "number" ? whole.format(value) : String(value ?? "–"));
