import { codeOf } from "./masked-sql.ts";

/** Functions whose argument is JSON, not the text of it. */
const jsonFunctions = /\b(?:to_json|array_size|get_path|object_keys|typeof|parse_json|is_array|is_object)\s*\(\s*$/i;

/** Calculations and comparisons with numbers; Snowflake calculates with the value of a path. */
const numberFunctions = /\b(?:sum|avg|pow|power|round|floor|ceil|abs)\s*\((?:[^()]*,)?\s*$|[*/%+-]\s*$/i;
const numberOperators = /^\s*(?:[*/%+-]|[<>=!]+\s*-?\d)/;

const textType = /^\s*::\s*(?:string|varchar|text|char)\b(?!\s*\()/i;
const jsonType = /^\s*::\s*(?:variant|object|array|json)\b/i;

/** Rewrites paths of Snowflake, such as `data:owner.name::string`, as `(data ->> '$.owner.name')`. */
export function rewritePaths(sql: string): string {
  const code = codeOf(sql, "duckdb");
  let out = "";
  let done = 0;
  /** The expression before a path has a path of its own, which is rewritten first. */
  let isNested = false;
  for (const { index } of code.matchAll(/(?<=[\p{L}\p{N}_"\])]):(?=[\p{L}_"])/gu)) {
    const start = baseStart(code, index);
    const { path, end } = pathFrom(sql, index);
    if (end === index) continue;
    if (start < done) {
      isNested = true;
      continue;
    }
    const rest = code.slice(end);
    const [asText] = textType.exec(rest) ?? [];
    const [asJson] = jsonType.exec(rest) ?? [];
    const isJson = asJson !== undefined || (jsonFunctions.test(code.slice(0, start)) && /^\s*[,)]/.test(rest));
    const isUncast = asJson === undefined && !/^\s*::/.test(rest);
    const isNumber = isUncast && (numberFunctions.test(code.slice(0, start)) || numberOperators.test(rest));
    const base = sql.slice(start, index);
    out += `${sql.slice(done, start)}(${base} ${isJson ? "->" : "->>"} '$${path.replaceAll("'", "''")}')${isNumber ? "::double" : ""}`;
    done = end + (asText ?? asJson ?? "").length;
  }
  const rewritten = out + sql.slice(done);
  return isNested ? rewritePaths(rewritten) : rewritten;
}

/** Returns the start of the expression that ends at a place: names, calls and indexes. */
function baseStart(code: string, end: number): number {
  let at = end;
  for (;;) {
    const before = code[at - 1] ?? "";
    if (before === ")" || before === "]") at = openingAt(code, at - 1);
    else if (/[\p{L}\p{N}_$.]/u.test(before)) at -= 1;
    else if (before === '"') at = code.lastIndexOf('"', at - 2);
    else return at;
    if (at < 0) return end;
  }
}

function openingAt(code: string, close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at -= 1) {
    const mark = code[at] ?? "";
    if (")]".includes(mark)) depth += 1;
    else if ("([".includes(mark)) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

const step = /[:.]([\p{L}_][\p{L}\p{N}_$]*)|[:.]"([^"]+)"|\[(\d+)\]|\['([^']+)'\]/uy;

/** Reads `:a.b[0]['c']`, and returns it as a JSON path. */
function pathFrom(sql: string, start: number): { readonly path: string; readonly end: number } {
  let path = "";
  let end = start;
  step.lastIndex = start;
  for (let found = step.exec(sql); found !== null; found = step.exec(sql)) {
    const [, word, quoted, index, key] = found;
    const name = quoted ?? key;
    path += index === undefined ? `.${word ?? `"${name}"`}` : `[${index}]`;
    end = step.lastIndex;
  }
  return { path, end };
}
