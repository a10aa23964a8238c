import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { inexactMarker } from "./files.ts";

/** Forms of the values of a file. */
export interface ValueForms {
  readonly dateFormat?: string | undefined;
  readonly timestampFormat?: string | undefined;
  readonly decimalSeparator?: "." | "," | undefined;
}

/** Digits of a second that a type keeps. */
const fractionDigits: Readonly<Record<string, number>> = {
  TIMESTAMP_S: 0,
  TIMESTAMP_MS: 3,
  TIMESTAMP_NS: 9,
  TIME_NS: 9,
};

/**
 * Returns SQL that selects a text as a column of a type, and SQL that is true for a text that the type cannot hold.
 * @param isDetected a text of another form than those from which the type was detected fails, too. @default false
 */
export function exactSelection(
  text: string,
  name: string,
  type: string,
  forms: ValueForms,
  isDetected = false,
): { readonly selection: string; readonly invalid: string } {
  const exact = exactValue(text, type, forms);
  const { value } = exact;
  const isExact = (isDetected && formOf(text, value, type, forms)) || exact.isExact;
  const isValid = `(${value} IS NOT NULL AND ${isExact})`;
  return {
    selection: `CASE WHEN ${text} IS NULL OR ${isValid} THEN ${value} ELSE error('${inexactMarker}') END AS ${quotedName(name)}`,
    invalid: `${text} IS NOT NULL AND ${isValid} IS NOT TRUE`,
  };
}

/** Returns SQL for a text as a value of a type, or an error of the engine for a text that the type does not hold exactly. */
export function exactCell(text: string, type: string): string {
  const { value, isExact } = exactValue(text, type, {});
  const message = `${quotedText(`not exactly a ${type}: `)} || left(${text}, 100)`;
  return `CASE WHEN ${text} IS NULL OR (${value} IS NOT NULL AND ${isExact}) THEN ${value} ELSE error(${message}) END`;
}

/**
 * Returns the type of a column of numbers: HUGEINT for integers beyond BIGINT, VARCHAR if a DOUBLE would change an integer,
 * or DOUBLE.
 * @param texts query of the texts of the numbers, as `x`
 */
export async function numberType(connection: DuckDBConnection, texts: string): Promise<string> {
  const query = `SELECT bool_and(is_integer AND TRY_CAST(x AS HUGEINT) IS NOT NULL),
      bool_or(is_integer AND TRY_CAST(x AS HUGEINT) IS DISTINCT FROM TRY_CAST(TRY_CAST(x AS DOUBLE) AS HUGEINT)
        OR isinf(TRY_CAST(x AS DOUBLE)) AND x NOT ILIKE '%inf%')
    FROM (SELECT x, regexp_full_match(x, '[+-]?[0-9]+') AS is_integer
      FROM (SELECT trim(x) AS x FROM (${texts})) WHERE x <> '')`;
  const [row] = (await connection.runAndReadAll(query)).getRows();
  const [areIntegers, isChanged] = row as [boolean | null, boolean | null];
  return areIntegers === true ? "HUGEINT" : isChanged === true ? "VARCHAR" : "DOUBLE";
}

/**
 * Returns SQL for a text as a value of a type, and SQL that is true if the value is exactly that of the text. A cast of the
 * engine rounds `1.5` to a BIGINT, and ignores the text after a date.
 * @param type as the engine writes it
 */
function exactValue(
  text: string,
  type: string,
  forms: ValueForms,
): { readonly value: string; readonly isExact: string } {
  const isNumber = /INT|^DECIMAL|^DOUBLE|^FLOAT/.test(type) && !/[[(]\)?$|^STRUCT|^MAP|^INTERVAL/.test(type);
  const x = isNumber && forms.decimalSeparator === "," ? `replace(${text}, ',', '.')` : text;
  const value = `TRY_CAST(${x} AS ${type})`;
  const matches = (pattern: string): string => `regexp_full_match(trim(${x}), ${quotedText(pattern)})`;
  const scientific = `(length(regexp_extract(${x}, '[0-9.]+')) <= 16
    AND ${matches(String.raw`[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+`)} AND TRY_CAST(${x} AS DOUBLE) = ${value}::DOUBLE)`;
  if (/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/.test(type))
    return { value, isExact: `(${matches(String.raw`[+-]?\d+(\.0*)?|0[xX][\da-fA-F]+|0[bB][01]+`)} OR ${scientific})` };
  const scale = /^DECIMAL\(\d+,(\d+)\)$/.exec(type)?.[1];
  if (scale !== undefined)
    return {
      value,
      isExact: `(${matches(String.raw`[+-]?(\d+(\.\d{0,${scale}}0*)?|\.\d{0,${scale}}0*)`)} OR ${scientific})`,
    };
  if (/^(DOUBLE|FLOAT)$/.test(type)) return { value, isExact: `(NOT isinf(${value}) OR ${x} ILIKE '%inf%')` };
  if (type === "DATE") {
    const isMidnight = `TRY_CAST(${x} AS TIMESTAMP) = ${value}::TIMESTAMP`;
    return withFormat(forms.dateFormat, x, "DATE", { value, isExact: isMidnight });
  }
  if (/^TIME/.test(type)) {
    const digits = fractionDigits[type] ?? 6;
    // Types without a zone ignore an offset.
    const offset = /ZONE|TZ$/.test(type) ? "" : String.raw`|:\d\d(\.\d*)?\s*[+-]\d`;
    const isExact = `NOT regexp_matches(${x}, ${quotedText(String.raw`\.\d{${digits}}\d*[1-9]${offset}`)})`;
    return type === "TIMESTAMP" ? withFormat(forms.timestampFormat, x, type, { value, isExact }) : { value, isExact };
  }
  // Numbers in lists and the like are rounded, too.
  const plain = (nested: string): string => `translate(${nested}, ' "''', '')`;
  if (/\]$|^(STRUCT|MAP|UNION)/.test(type)) return { value, isExact: `${plain(`${value}::VARCHAR`)} = ${plain(x)}` };
  return { value, isExact: "true" };
}

/**
 * Returns SQL that is true for a text from which a type is detected; undefined for types whose exact values are all
 * detected. It compares texts first, which takes less time than a regular expression.
 */
function formOf(text: string, value: string, type: string, forms: ValueForms): string | undefined {
  if (type === "BOOLEAN") return `lower(trim(${text})) IN ('true', 'false')`;
  if (type === "BIGINT") return `(${value}::VARCHAR = ${text} OR regexp_full_match(trim(${text}), '[+-]?[0-9]+'))`;
  if (type === "DATE" && forms.dateFormat === undefined) return `${value}::VARCHAR = trim(${text})`;
  // An integer of more digits may be one that a DOUBLE cannot hold.
  if (type === "DOUBLE") return `(length(${text}) <= 15 OR regexp_matches(${text}, '[.,eE]')) AND NOT isinf(${value})`;
  return undefined;
}

function withFormat(
  format: string | undefined,
  text: string,
  type: string,
  plain: { readonly value: string; readonly isExact: string },
): { readonly value: string; readonly isExact: string } {
  if (format === undefined) return plain;
  // The engine takes "infinity" and "epoch" for the year 1900 with a format.
  const parsed = `CASE WHEN regexp_matches(${text}, '(?i)inf|epoch') THEN NULL ELSE try_strptime(${text}, ${quotedText(format)}) END`;
  return {
    value: `coalesce(${parsed}::${type}, ${plain.value})`,
    isExact: `(${parsed} = ${parsed}::${type} OR (${parsed} IS NULL AND ${plain.isExact}))`,
  };
}
