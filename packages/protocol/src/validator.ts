import { type Issue, issueAt, type Schema } from "@quern/json-rpc/envelope";
import { isDateTime } from "./date-time.ts";
import { areEqual } from "./equality.ts";
import type { SchemaNode, SchemaTable, TypeName } from "./schema-table.ts";
import { either, expectation, types } from "./wording.ts";

export type { SchemaNode, SchemaTable, TableReference, TypeName } from "./schema-table.ts";
export { schemaKeywords } from "./schema-table.ts";

const maxIssues = 20;
/** Tables that speak of themselves follow the value down; no value that is meant seriously is deeper. */
const maxDepth = 500;

/** The place that is being checked, and what was found wrong so far. The path is one array, so that valid values cost no memory. */
interface Check {
  readonly path: PropertyKey[];
  readonly issues: Issue[];
}

type JsonObject = Readonly<Record<string, unknown>>;

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source, "u");
    patterns.set(source, pattern);
  }
  return pattern;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tableOf(node: SchemaNode): SchemaTable {
  return "ref" in node ? node.ref() : node;
}

function hasType(value: unknown, type: TypeName): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
  }
}

function report(check: Check, expected: string, value: unknown): void {
  if (check.issues.length < maxIssues) check.issues.push(issueAt([...check.path], expected, value));
}

function checkMember(node: SchemaNode, value: unknown, key: PropertyKey, check: Check): void {
  check.path.push(key);
  checkNode(node, value, check);
  check.path.pop();
}

function checkString(table: SchemaTable, value: string, check: Check): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = table;
  // A code point takes one or two of the units that `length` counts, so most lengths are decided without counting.
  const isDecided = value.length < minLength || (value.length >= 2 * minLength && value.length <= maxLength);
  const length = isDecided ? value.length : [...value].length;
  if (length < minLength) report(check, `at least ${minLength} characters`, value);
  if (length > maxLength) report(check, `at most ${maxLength} characters`, value);
  if (pattern !== undefined && !patternOf(pattern).test(value)) report(check, `a text that matches ${pattern}`, value);
  if (format === "date-time" && !isDateTime(value))
    report(check, "a date and time like 2026-01-31T23:59:59.000Z", value);
}

function checkNumber(table: SchemaTable, value: number, check: Check): void {
  if (table.minimum !== undefined && value < table.minimum) report(check, `at least ${table.minimum}`, value);
  if (table.maximum !== undefined && value > table.maximum) report(check, `at most ${table.maximum}`, value);
}

function checkArray(table: SchemaTable, value: readonly unknown[], check: Check): void {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = table;
  if (value.length < minItems) report(check, `at least ${minItems} items`, value);
  if (value.length > maxItems) report(check, `at most ${maxItems} items`, value);
  if (items === undefined) return;
  for (const [index, item] of value.entries()) {
    if (check.issues.length >= maxIssues) return;
    checkMember(items, item, index, check);
  }
}

/** Members that are `undefined` are not there: JSON will not carry them. */
function checkObject(table: SchemaTable, value: JsonObject, check: Check): void {
  const {
    properties = {},
    required = [],
    additionalProperties = true,
    propertyNames,
    minProperties,
    maxProperties,
  } = table;
  for (const name of required) {
    if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
    check.path.push(name);
    report(check, node === undefined ? "a value" : expectation(tableOf(node)), undefined);
    check.path.pop();
  }
  let count = 0;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    if (check.issues.length >= maxIssues) return;
    count++;
    if (propertyNames !== undefined) checkMember(propertyNames, name, name, check);
    const node = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (node === undefined || node === true) continue;
    if (node !== false) {
      checkMember(node, member, name, check);
      continue;
    }
    check.path.push(name);
    report(check, "no such member", member);
    check.path.pop();
  }
  if (minProperties !== undefined && count < minProperties) report(check, `at least ${minProperties} members`, value);
  if (maxProperties !== undefined && count > maxProperties) report(check, `at most ${maxProperties} members`, value);
}

/** Reports the branch that came furthest into the value, or all of them where none came further than its type. */
function checkAnyOf(branches: readonly SchemaNode[], value: unknown, check: Check): void {
  let furthest: readonly Issue[] = [];
  let depth = check.path.length;
  for (const branch of branches) {
    const attempt: Check = { path: check.path, issues: [] };
    checkNode(branch, value, attempt);
    const [first] = attempt.issues;
    if (first === undefined) return;
    if (first.path.length <= depth) continue;
    furthest = attempt.issues;
    depth = first.path.length;
  }
  if (furthest.length === 0) report(check, either(branches.map((branch) => expectation(tableOf(branch)))), value);
  else check.issues.push(...furthest.slice(0, maxIssues - check.issues.length));
}

function checkNode(node: SchemaNode, value: unknown, check: Check): void {
  const table = tableOf(node);
  const { type } = table;
  if (check.path.length > maxDepth) {
    report(check, `at most ${maxDepth} levels`, value);
    return;
  }
  if (
    type !== undefined &&
    !(typeof type === "string" ? hasType(value, type) : type.some((name) => hasType(value, name)))
  ) {
    report(check, types(type), value);
    return;
  }
  const { enum: allowed, const: only } = table;
  if (only !== undefined && !areEqual(value, only)) report(check, expectation(table), value);
  else if (allowed !== undefined && !allowed.some((one) => areEqual(value, one)))
    report(check, expectation(table), value);
  if (typeof value === "string") checkString(table, value, check);
  else if (typeof value === "number") checkNumber(table, value, check);
  else if (Array.isArray(value)) checkArray(table, value, check);
  else if (isObject(value)) checkObject(table, value, check);
  if (table.anyOf !== undefined) checkAnyOf(table.anyOf, value, check);
}

/**
 * A Standard Schema that interprets a table. It returns the value itself, unchanged and without defaults, or at most 20 issues.
 * @see https://json-schema.org/draft-07
 */
export function validator<T>(node: SchemaNode): Schema<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "quern",
      validate(value) {
        const check: Check = { path: [], issues: [] };
        checkNode(node, value, check);
        // The table is what T was made from.
        return check.issues.length === 0 ? { value: value as T } : { issues: check.issues };
      },
    },
  };
}
