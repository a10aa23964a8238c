import {
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { engineTypeName, isJson } from "../engine/column-type.ts";
import { quotedName } from "../engine/quoting.ts";

/** Returns SQL that converts a value to its type: from its text, or from its JSON if the type is nested. */
export function fromText(type: DuckDBType, text: string, json: string): string {
  if (isJson(type)) return json;
  switch (type.typeId) {
    case Id.BLOB:
      return `from_base64(${text})`;
    case Id.LIST:
    case Id.ARRAY:
    case Id.STRUCT:
    case Id.MAP:
      return `CAST(${json} AS ${engineTypeName(type)})`;
    case Id.UNION:
    case Id.VARIANT:
    case Id.GEOMETRY:
    case Id.SQLNULL:
      throw new StatementError({
        name: "UnsupportedType",
        message: `Unsupported column type: ${engineTypeName(type)}; cast the column to JSON or VARCHAR.`,
        data: { category: "DATA_SOURCE", retryable: false },
      });
    case Id.DATE:
    case Id.TIMESTAMP:
      return `CAST(${withoutSign(text)} AS ${engineTypeName(type)})`;
    case Id.TIMESTAMP_TZ:
      return `CAST(${withoutSpace(withoutSign(text))} AS ${engineTypeName(type)})`;
    default:
      return `CAST(${text} AS ${engineTypeName(type)})`;
  }
}

/** Removes the sign before years above 9999, which the engine does not know. The comparison is faster than the removal. */
function withoutSign(text: string): string {
  return `CASE WHEN (${text}) < ',' THEN ltrim(${text}, '+') ELSE ${text} END`;
}

/** Removes the space before an offset, such as that of `2026-01-02 03:04:05 +05:30`. */
function withoutSpace(text: string): string {
  const hasOffset = `contains(${text}, ' +') OR contains(${text}, ' -')`;
  return `CASE WHEN ${hasOffset} THEN regexp_replace(${text}, ' ([+-][0-9:]+)$', '\\1') ELSE ${text} END`;
}

/** SQL of a value: of its text, or of its JSON, in parentheses or a single name. */
type Positional = { readonly text: string } | { readonly json: string };

/**
 * Returns SQL that converts a value to its type from JSON in which a struct is an array, and a value of the type JSON a
 * string.
 * @param depth number of lambda functions around it
 */
export function fromPositional(type: DuckDBType, value: Positional, depth = 0): string {
  const text = "text" in value ? value.text : `(${value.json} ->> '$')`;
  const json = "json" in value ? value.json : `(CAST(${value.text} AS JSON))`;
  if (isJson(type)) return `CAST(${text} AS JSON)`;
  const item = `x${depth}`;
  // `typeId` determines the class, so each `as` is correct.
  switch (type.typeId) {
    case Id.LIST: {
      const cell = fromPositional((type as DuckDBListType).valueType, { json: item }, depth + 1);
      return `list_transform(CAST(${json} AS JSON[]), lambda ${item}: ${cell})`;
    }
    case Id.MAP: {
      const { keyType, valueType } = type as DuckDBMapType;
      const cell = fromPositional(valueType, { json: `(${item}.value)` }, depth + 1);
      const entry = `struct_pack(k := ${fromText(keyType, `${item}.key`, `${item}.key`)}, v := ${cell})`;
      return `map_from_entries(list_transform(map_entries(CAST(${json} AS MAP(VARCHAR, JSON))), lambda ${item}: ${entry}))`;
    }
    case Id.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType;
      const members = entryTypes.map((entry, index) => {
        const member = fromPositional(entry, { json: `(${json} -> ${index})` }, depth);
        return `${quotedName(entryNames[index] ?? "")} := ${member}`;
      });
      const message = `a row within a value does not have ${entryTypes.length} values`;
      return `CASE WHEN coalesce(json_type(${json}), 'NULL') = 'NULL' THEN NULL
        WHEN json_array_length(${json}) = ${entryTypes.length} THEN struct_pack(${members.join(", ")})
        ELSE error('${message}') END`;
    }
    default:
      return fromText(type, text, json);
  }
}
