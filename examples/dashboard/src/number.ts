const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** A number for an axis, such as 1.2M. */
export const shortNumber = (value: unknown) => short.format(Number(value));

/** A value for a cell: numbers with their thousands apart, the rest as it is. */
export const cellText = (value: unknown) => (typeof value === "number" ? whole.format(value) : String(value ?? "–"));
