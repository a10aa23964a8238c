import type { CatalogType } from "./catalog-type.ts";

/** Returns SQL for the year of a time as a page shows it. PostgreSQL's year before 1 is -1. */
const year = (time: string): string => `(SELECT CASE WHEN y BETWEEN 0 AND 9999 THEN lpad(y::text, 4, '0')
  ELSE (CASE WHEN y < 0 THEN '-' ELSE '+' END) || lpad(abs(y)::text, greatest(6, length(abs(y)::text)), '0') END
  FROM (SELECT extract(year FROM ${time})::int + CASE WHEN extract(year FROM ${time}) < 0 THEN 1 ELSE 0 END) AS years(y))`;

const finite = (value: string, shown: string): string =>
  `CASE WHEN isfinite(${value}) THEN ${shown} ELSE ${value}::text END`;

/** Returns SQL for a part of a date. `to_char` fails for dates that no timestamp can have. */
const two = (part: string, date: string): string => `lpad(extract(${part} FROM ${date})::text, 2, '0')`;

const timestamp = (time: string): string =>
  `${year(time)} || regexp_replace(to_char(${time}, '-MM-DD"T"HH24:MI:SS.US'), '0{1,3}$', '') || 'Z'`;

/** PostgreSQL writes `-1 mons +2 days`, and a page `-1 month 2 days`. */
const interval = (value: string): string => {
  const months = `regexp_replace(${value}::text, 'mon(s?)', 'month\\1', 'g')`;
  return `replace(regexp_replace(${months}, '-1 (year|month|day)s', '-1 \\1', 'g'), '+', '')`;
};

/** SQL for the text that a page shows, by the oids of types that PostgreSQL's JSON shows otherwise. */
const shownTexts: ReadonlyMap<number, (value: string) => string> = new Map([
  [17, (value: string) => `translate(encode(${value}, 'base64'), E'\\n', '')`], // `encode` breaks lines
  [
    1082,
    (value: string) => finite(value, `${year(value)} || '-' || ${two("month", value)} || '-' || ${two("day", value)}`),
  ],
  [1114, (value: string) => finite(value, timestamp(value))],
  [1184, (value: string) => finite(value, timestamp(`(${value} AT TIME ZONE 'UTC')`))],
  [1186, interval],
]);

/** Returns true if PostgreSQL's JSON of a type shows a value in it otherwise than a page does outside of arrays. */
function isShownOtherwise({ oid, parts = [] }: CatalogType): boolean {
  return shownTexts.has(oid) || parts.some(({ type }) => isShownOtherwise(type));
}

/** Returns SQL for the JSON of a value, whose inner values look as they do in a column of their own. */
export function jsonOf(type: CatalogType, value: string, depth = 0): string {
  const { oid, isArray, parts = [] } = type;
  const text = shownTexts.get(oid)?.(value);
  if (text !== undefined) return `to_json(${text})`;
  if (!isShownOtherwise(type)) return `to_json(${value})`;
  if (isArray) return arrayJson(parts[0]?.type as CatalogType, value, depth + 1);
  const members = parts.map(({ name, type: member }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return `${jsonOf(member, `(${value}).${quoted}`, depth + 1)} AS ${quoted}`;
  });
  return `CASE WHEN ${value} IS DISTINCT FROM NULL THEN (SELECT row_to_json(r) FROM (SELECT ${members.join(", ")}) AS r) END`;
}

/** Most dimensions of an array of PostgreSQL. */
const maxDimensions = 6;

/**
 * Returns SQL for the JSON of an array. `unnest` returns the elements of all dimensions one after the other, so the
 * brackets of a dimension stand where a multiple of its size begins or ends. In FROM it would return a row of NULLs for a
 * composite value that is NULL.
 */
function arrayJson(element: CatalogType, array: string, depth: number): string {
  const item = `e${depth}`;
  const sizes = Array.from({ length: maxDimensions }, (_, before) => {
    const lengths = Array.from({ length: before }, (_, at) => ` / array_length(${array}, ${at + 1})`);
    return `CASE WHEN array_ndims(${array}) > ${before} THEN cardinality(${array})${lengths.join("")} END`;
  });
  const brackets = (bracket: string, position: string): string =>
    `repeat('${bracket}', (SELECT count(*)::int FROM unnest(ARRAY[${sizes.join(", ")}]) AS s WHERE ${position} % s = 0))`;
  const piece = `CASE WHEN n > 1 THEN ',' ELSE '' END || ${brackets("[", "(n - 1)")}
    || coalesce(${jsonOf(element, item, depth)}::text, 'null') || ${brackets("]", "n")}`;
  return `CASE WHEN ${array} IS NOT NULL THEN coalesce((SELECT string_agg(${piece}, '' ORDER BY n)
    FROM (SELECT unnest(${array}) AS ${item}, generate_series(1, cardinality(${array})) AS n) AS items), '[]')::json END`;
}
