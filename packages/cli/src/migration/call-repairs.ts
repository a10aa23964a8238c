import { type CallRepair, operand } from "./calls.ts";
import { strftimeFormat, unitOf } from "./date-format.ts";

/** Another name for the same function. */
const named =
  (name: string, counts?: readonly number[]): CallRepair =>
  (args) =>
    counts === undefined || counts.includes(args.length) ? `${name}(${args.join(", ")})` : undefined;

/** Expression of exactly as many arguments as the function takes. */
const of =
  (build: (...args: readonly string[]) => string | undefined, count: number): CallRepair =>
  (args) =>
    args.length === count ? build(...args) : undefined;

const isDate = (text: string) => /^(?:current_date(?:\(\))?|date\(.*\)|.*::date)$/is.test(text);
const isNow = (text: string) => /^(?:current_timestamp|now\(\))$/i.test(text);
const isText = (text = "") => /^'[^']*'$/.test(text);
const asDate = (text: string) => (isText(text) ? `${text}::timestamp` : operand(text));

const dateAdd: CallRepair = ([part, count = "", time = "", ...rest]) => {
  const unit = unitOf(part);
  if (unit === undefined || time === "" || rest.length > 0) return undefined;
  const [, sign, digits] = /^(-?)\s*(\d+)$/.exec(count) ?? [];
  const amount =
    digits === undefined ? `+ interval (${count}) ${unit}` : `${sign ? "-" : "+"} interval ${digits} ${unit}`;
  const sum = `(${asDate(time)} ${amount})`;
  return isDate(time) && !/second|minute|hour/.test(unit) ? `${sum}::date` : sum;
};

const dateDiff: CallRepair = ([part, ...times]) => {
  const unit = unitOf(part);
  if (unit === undefined || times.length !== 2) return undefined;
  const [from, to] = times.map((time) => (isNow(time) ? `${time}::timestamp` : isText(time) ? asDate(time) : time));
  // DuckDB counts whole weeks, Snowflake counts Mondays.
  if (unit === "week") return `(datediff('day', date_trunc('week', ${from}), date_trunc('week', ${to})) / 7)::bigint`;
  return `datediff('${unit}', ${from}, ${to})`;
};

const cast =
  (type: string, isTry = false): CallRepair =>
  ([text = "", format, ...rest]) => {
    if (text === "" || rest.length > 0) return undefined;
    if (format === undefined) return isTry ? `try_cast(${text} as ${type})` : `${operand(text)}::${type}`;
    const converted = strftimeFormat(format);
    if (converted === undefined) return undefined;
    return `${isTry ? "try_strptime" : "strptime"}(${text}, ${converted})${type === "date" ? "::date" : ""}`;
  };

const decimal =
  (isTry: boolean): CallRepair =>
  ([text = "", precision = "38", scale = "0", ...rest]) => {
    if (text === "" || rest.length > 0 || !/^\d+$/.test(precision + scale)) return undefined;
    const type = `decimal(${precision}, ${scale})`;
    return isTry ? `try_cast(${text} as ${type})` : `${operand(text)}::${type}`;
  };

const toText: CallRepair = ([value = "", format, ...rest]) => {
  if (value === "" || rest.length > 0) return undefined;
  if (format === undefined) return `${operand(value)}::varchar`;
  if (/^'9{1,3}(?:,999)+'$/.test(format)) return `format('{:,}', ${value})`;
  const converted = strftimeFormat(format);
  return converted === undefined ? undefined : `strftime(${value}, ${converted})`;
};

/** Snowflake returns NULL if any argument is. */
const extreme =
  (name: string): CallRepair =>
  (args) => {
    const nullable = args.filter((text) => !/^(?:-?[\d.]+|'[^']*')$/.test(text));
    const test = nullable.map((text) => `${operand(text)} is null`).join(" or ");
    return nullable.length === 0 ? undefined : `if(${test}, null, ${name}(${args.join(", ")}))`;
  };

const jsonPath = (text: string) => (isText(text) ? `'$.${text.slice(1, -1)}'` : undefined);

/** Calls of Snowflake that DuckDB refuses, or for which it returns another value. */
export const callRepairs: Readonly<Record<string, CallRepair>> = {
  nvl: named("coalesce"),
  nvl2: of((test = "", some, none) => `if(${operand(test)} is not null, ${some}, ${none})`, 3),
  zeroifnull: of((value) => `coalesce(${value}, 0)`, 1),
  nullifzero: of((value) => `nullif(${value}, 0)`, 1),
  iff: named("if", [3]),
  equal_null: of((a = "", b = "") => `(${operand(a)} is not distinct from ${operand(b)})`, 2),
  div0: of((a = "", b = "") => `if(${operand(b)} = 0, 0, ${operand(a)} / ${operand(b)})`, 2),
  div0null: of((a = "", b = "") => `if(coalesce(${b}, 0) = 0, 0, ${operand(a)} / ${operand(b)})`, 2),
  greatest: extreme("greatest"),
  least: extreme("least"),
  square: of((value) => `pow(${value}, 2)`, 1),
  truncate: named("trunc"),
  bitand: of((a = "", b = "") => `(${operand(a)} & ${operand(b)})`, 2),
  boolor_agg: named("bool_or"),
  booland_agg: named("bool_and"),
  approx_percentile: named("approx_quantile"),
  max_by: named("arg_max_null", [2]),
  min_by: named("arg_min_null", [2]),

  dateadd: dateAdd,
  timestampadd: dateAdd,
  datediff: dateDiff,
  timestampdiff: dateDiff,
  date_trunc: ([part = "", time, ...rest]) => {
    const unit = unitOf(part);
    return unit === undefined || time === undefined || rest.length > 0 || part.startsWith("'")
      ? undefined
      : `date_trunc('${unit}', ${time})`;
  },
  trunc: ([time, part = ""]) => (isText(part) && unitOf(part) ? `date_trunc('${unitOf(part)}', ${time})` : undefined),
  date_part: of((part = "", time) => {
    const word = part.toLowerCase().replaceAll("'", "");
    if (/^epoch(?:_seconds?)?$/.test(word)) return `floor(date_part('epoch', ${time}))::bigint`;
    return part.startsWith("'") ? undefined : `date_part('${word}', ${time})`;
  }, 2),
  add_months: of((time = "", count) => {
    const sum = `${asDate(time)} + interval (${count}) month`;
    return `if(${asDate(time)}::date = last_day(${asDate(time)}), last_day(${sum}) + ${asDate(time)}::timestamp::time, ${sum})`;
  }, 2),
  convert_timezone: (args) => {
    const [from, to, time = ""] = args.length === 2 ? ["'UTC'", ...args] : args;
    return args.length < 2 || args.length > 3
      ? undefined
      : `(${operand(time)} at time zone ${from} at time zone ${to})`;
  },
  dayofweekiso: named("isodow", [1]),
  dayofweek_iso: named("isodow", [1]),
  monthname: of((time) => `strftime(${time}, '%b')`, 1),
  dayname: of((time) => `strftime(${time}, '%a')`, 1),
  sysdate: of(() => "now()::timestamp", 0),
  getdate: of(() => "now()", 0),
  current_timestamp: (args) => (args.length === 0 ? "current_timestamp" : undefined),
  to_date: cast("date"),
  try_to_date: cast("date", true),
  to_timestamp: (args) => (isText(args[0]) || args.length === 2 ? cast("timestamp")(args) : undefined),
  to_timestamp_ntz: cast("timestamp"),
  try_to_timestamp: cast("timestamp", true),
  try_to_timestamp_ntz: cast("timestamp", true),
  to_char: toText,
  to_varchar: toText,
  to_number: decimal(false),
  to_decimal: decimal(false),
  to_numeric: decimal(false),
  try_to_number: decimal(true),
  try_to_decimal: decimal(true),
  try_to_numeric: decimal(true),
  to_double: cast("double"),
  try_to_double: cast("double", true),
  to_boolean: cast("boolean"),
  try_to_boolean: cast("boolean", true),

  startswith: named("starts_with", [2]),
  endswith: named("ends_with", [2]),
  charindex: of((part, text) => `strpos(${text}, ${part})`, 2),
  replace: of((text, part) => `replace(${text}, ${part}, '')`, 2),
  regexp_substr: of((text, pattern) => `nullif(regexp_extract(${text}, ${pattern}), '')`, 2),
  regexp_like: of((text, pattern) => `regexp_full_match(${text}, ${pattern})`, 2),
  regexp_replace: (args) => {
    const [text, pattern, replacement = "''", ...rest] = args;
    return rest.length > 0 || pattern === undefined
      ? undefined
      : `regexp_replace(${text}, ${pattern}, ${replacement}, 'g')`;
  },
  split_part: of((text, separator, part) => (part === "0" ? `split_part(${text}, ${separator}, 1)` : undefined), 3),
  substr: ([text, start, ...rest]) => (start === "0" ? `substr(${[text, "1", ...rest].join(", ")})` : undefined),
  substring: ([text, start, ...rest]) => (start === "0" ? `substring(${[text, "1", ...rest].join(", ")})` : undefined),
  md5_hex: named("md5", [1]),
  "utils.udf_hex_to_int": of((text) => `('0x' || replace(${text}, '0x', ''))::ubigint`, 1),

  array_construct: (args) => `[${args.join(", ")}]`,
  // The argument may be a list or JSON, and `len` of JSON would count its characters.
  array_size: of((list) => `json_array_length(to_json(${list}))`, 1),
  array_cat: named("list_concat", [2]),
  array_contains: of((value = "", list) => {
    const plain = value.replace(/::\s*variant$/i, "");
    return plain === value ? undefined : `list_contains(${list}, ${plain})`;
  }, 2),
  array_slice: of((list, from = "", to = "") => {
    const isPlain = /^\d+$/.test(from) && /^\d+$/.test(to);
    return isPlain ? `list_slice(${list}, ${Number(from) + 1}, ${to})` : undefined;
  }, 3),
  object_construct: (args) => `json_merge_patch('{}'::json, json_object(${args.join(", ")}))`,
  object_keys: named("json_keys", [1]),
  parse_json: of((text) => `nullif(trim(${text}), '')::json`, 1),
  try_parse_json: of((text) => `try_cast(${text} as json)`, 1),
  get_path: of((data = "", path = "") => {
    const converted = jsonPath(path);
    return converted === undefined ? undefined : `(${operand(data)} -> ${converted})`;
  }, 2),
};
