import { operand, type WindowRepair } from "./calls.ts";

const over = (text: string | undefined) => (text === undefined ? "" : ` over (${text})`);

const arrayAgg: WindowRepair = ([value = "", ...rest], { within, over: window }) => {
  if (rest.length > 0 || value === "" || /\border\s+by\b/i.test(value)) return undefined;
  const plain = value.replace(/^distinct\s+/i, "");
  const inner = within === undefined ? value : `${value} ${within}`;
  return `coalesce(array_agg(${inner}) filter (where ${operand(plain)} is not null)${over(window)}, [])`;
};

const listAgg: WindowRepair = ([value = "", separator = "''", ...rest], { within, over: window }) => {
  if (rest.length > 0 || value === "" || /\border\s+by\b/i.test(separator)) return undefined;
  const inner = within === undefined ? `${value}, ${separator}` : `${value}, ${separator} ${within}`;
  return `coalesce(string_agg(${inner})${over(window)}, '')`;
};

/** In Snowflake, the frame of these functions is the whole partition. */
const wholeFrame =
  (name: string): WindowRepair =>
  (args, { over: window }) => {
    if (window === undefined || !/\border\s+by\b/i.test(window) || /\b(?:rows|range|groups)\b/i.test(window))
      return undefined;
    return `${name}(${args.join(", ")}) over (${window} rows between unbounded preceding and unbounded following)`;
  };

/** Calls that the clauses after them take part in. */
export const windowRepairs: Readonly<Record<string, WindowRepair>> = {
  last_value: wholeFrame("last_value"),
  nth_value: wholeFrame("nth_value"),
  array_agg: arrayAgg,
  listagg: listAgg,
  ratio_to_report: (args, { over: window }) =>
    args.length === 1 && window !== undefined
      ? `(${operand(args[0] ?? "")} / nullif(sum(${args[0]})${over(window)}, 0))`
      : undefined,
};
