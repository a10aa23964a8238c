/** Elements of a Snowflake date format, longest first, and those of DuckDB. */
const elements: readonly (readonly [snowflake: string, duckdb: string])[] = [
  ["yyyy", "%Y"],
  ["mmmm", "%B"],
  ["hh24", "%H"],
  ["hh12", "%I"],
  ["mon", "%b"],
  ["yy", "%y"],
  ["mm", "%m"],
  ["dd", "%d"],
  ["dy", "%a"],
  ["mi", "%M"],
  ["ss", "%S"],
  ["ff3", "%g"],
  ["ff6", "%f"],
  ["am", "%p"],
  ["pm", "%p"],
];

const element = new RegExp(`"([^"]*)"|${elements.map(([name]) => name).join("|")}|[^a-z]|[a-z]`, "gi");

/** Converts a quoted date format such as `'YYYY-MM-DD'` to that of strftime; undefined for any other text. */
export function strftimeFormat(quoted: string | undefined): string | undefined {
  if (quoted === undefined || !/^'[^']*'$/.test(quoted)) return undefined;
  let isKnown = true;
  const format = quoted.slice(1, -1).replace(element, (piece, literal?: string) => {
    if (literal !== undefined) return literal.replaceAll("%", "%%");
    const [, converted] = elements.find(([name]) => name === piece.toLowerCase()) ?? [];
    // The letter between a date and a time in ISO 8601.
    if (converted === undefined && /[a-su-z]/i.test(piece)) isKnown = false;
    return converted ?? piece.replaceAll("%", "%%");
  });
  return isKnown && format.includes("%") ? `'${format}'` : undefined;
}

const units: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["year", "y", "yy", "yyy", "yyyy", "yr", "years", "yrs"],
    ["quarter", "q", "qtr", "qtrs", "quarters"],
    ["month", "mm", "mon", "mons", "months"],
    ["week", "w", "wk", "weekofyear", "woy", "wy", "weeks"],
    ["day", "d", "dd", "days", "dayofmonth"],
    ["hour", "h", "hh", "hr", "hours", "hrs"],
    ["minute", "m", "mi", "min", "minutes", "mins"],
    ["second", "s", "sec", "seconds", "secs"],
    ["millisecond", "ms", "msec", "milliseconds"],
    ["microsecond", "us", "usec", "microseconds"],
  ].flatMap(([unit = "", ...others]) => [unit, ...others].map((each) => [each, unit])),
);

/** Returns the name of a date part such as `day`, `'DD'` or `days`; undefined for any other text. */
export function unitOf(text: string | undefined): string | undefined {
  const word = text?.toLowerCase().replace(/^'(.*)'$/, "$1") ?? "";
  return Object.hasOwn(units, word) ? units[word] : undefined;
}
