import { type Issue, issueAt } from "@quern/json-rpc/envelope";
import { areEqual, isDateTime, isObject } from "./json-value.ts";
import type { SchemaNode, SchemaTable, TypeName } from "./schema-table.ts";
import { either, expectation, types } from "./wording.ts";

const maxIssues = 20;
/** Tables that speak of themselves follow the value down; no value that is meant seriously is deeper. */
const maxDepth = 500;

/** The place that is being checked, and what was found wrong so far. The path is one array, so that valid values cost no memory. */
interface Check {
  readonly path: PropertyKey[];
  failures: number;
  /** Undefined where it is only asked whether there are failures: to tell of one takes longer than to find all. */
  readonly issues: Issue[] | undefined;
}

/** Reports what is wrong with a value. */
type Checker = (value: unknown, check: Check) => void;

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

function hasOneOf(value: unknown, wanted: readonly TypeName[]): boolean {
  for (const type of wanted) if (hasType(value, type)) return true;
  return false;
}

function report(check: Check, expected: () => string, value: unknown): void {
  check.failures += 1;
  if (check.issues !== undefined && check.failures <= maxIssues)
    check.issues.push(issueAt([...check.path], expected(), value));
}

function checkMember(checker: Checker, value: unknown, key: PropertyKey, check: Check): void {
  check.path.push(key);
  checker(value, check);
  check.path.pop();
}

const checkers = new WeakMap<SchemaTable, Checker>();

/** A table that others refer to is compiled once, and when a value first comes to it, so that it may speak of itself. */
function checkerOf(node: SchemaNode): Checker {
  if (!("ref" in node)) return compiled(node);
  let checker: Checker | undefined;
  return (value, check) => {
    if (check.path.length > maxDepth) return report(check, () => `at most ${maxDepth} levels`, value);
    if (checker === undefined) {
      const table = node.ref();
      checker = checkers.get(table) ?? compiled(table);
      checkers.set(table, checker);
    }
    checker(value, check);
  };
}

function compiled(table: SchemaTable): Checker {
  const { type } = table;
  const wanted = typeof type === "string" ? [type] : type;
  const keywords = [valueChecker, stringChecker, numberChecker, arrayChecker, objectChecker, anyOfChecker];
  const parts = keywords.map((make) => make(table)).filter((part) => part !== undefined);
  return (value, check) => {
    if (wanted !== undefined && !hasOneOf(value, wanted)) return report(check, () => types(wanted), value);
    for (const part of parts) part(value, check);
  };
}

function valueChecker(table: SchemaTable): Checker | undefined {
  const { const: only, enum: allowed = only === undefined ? undefined : [only] } = table;
  if (allowed === undefined) return undefined;
  return (value, check) => {
    if (!allowed.some((one) => areEqual(value, one))) report(check, () => expectation(table), value);
  };
}

function stringChecker({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format }: SchemaTable) {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const isDate = format === "date-time";
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY && expression === undefined && !isDate)
    return undefined;
  return (value: unknown, check: Check): void => {
    if (typeof value !== "string") return;
    // A code point takes one or two of the units that `length` counts, so most lengths are decided without counting.
    const isDecided = value.length < minLength || (value.length >= 2 * minLength && value.length <= maxLength);
    const length = isDecided ? value.length : [...value].length;
    if (length < minLength) report(check, () => `at least ${minLength} characters`, value);
    if (length > maxLength) report(check, () => `at most ${maxLength} characters`, value);
    if (expression?.test(value) === false) report(check, () => `a text that matches ${pattern}`, value);
    if (isDate && !isDateTime(value)) report(check, () => "a date and time like 2026-01-31T23:59:59.000Z", value);
  };
}

function numberChecker({ minimum, maximum }: SchemaTable): Checker | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  return (value, check) => {
    if (typeof value !== "number") return;
    if (minimum !== undefined && value < minimum) report(check, () => `at least ${minimum}`, value);
    if (maximum !== undefined && value > maximum) report(check, () => `at most ${maximum}`, value);
  };
}

function arrayChecker({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: SchemaTable): Checker {
  const item = items === undefined ? undefined : checkerOf(items);
  return (value, check) => {
    if (!Array.isArray(value)) return;
    if (value.length < minItems) report(check, () => `at least ${minItems} items`, value);
    if (value.length > maxItems) report(check, () => `at most ${maxItems} items`, value);
    if (item === undefined) return;
    for (let at = 0; at < value.length && check.failures < maxIssues; at++) checkMember(item, value[at], at, check);
  };
}

/** Members that are `undefined` are not there: JSON will not carry them. */
function objectChecker(table: SchemaTable): Checker | undefined {
  const {
    properties = {},
    required = [],
    additionalProperties = true,
    propertyNames,
    minProperties = 0,
    maxProperties = Number.POSITIVE_INFINITY,
  } = table;
  const members = new Map(Object.entries(properties).map(([name, node]) => [name, checkerOf(node)]));
  const others = typeof additionalProperties === "boolean" ? undefined : checkerOf(additionalProperties);
  const names = propertyNames === undefined ? undefined : checkerOf(propertyNames);
  const expectedOf = (name: string): string => {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return node === undefined ? "a value" : expectation(tableOf(node));
  };
  const missing =
    (name: string): Checker =>
    (value, check) =>
      report(check, () => expectedOf(name), value);
  const unknown: Checker = (value, check) => report(check, () => "no such member", value);
  return (value, check) => {
    if (!isObject(value)) return;
    for (const name of required)
      if (value[name] === undefined || !Object.hasOwn(value, name)) checkMember(missing(name), undefined, name, check);
    let count = 0;
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      if (check.failures >= maxIssues) return;
      count++;
      if (names !== undefined) checkMember(names, name, name, check);
      const checker = members.get(name) ?? others;
      if (checker !== undefined) checkMember(checker, member, name, check);
      else if (additionalProperties === false) checkMember(unknown, member, name, check);
    }
    if (count < minProperties) report(check, () => `at least ${minProperties} members`, value);
    if (count > maxProperties) report(check, () => `at most ${maxProperties} members`, value);
  };
}

/** Reports the branch that came furthest into the value, or all of them where none came further than its type. */
function anyOfChecker({ anyOf }: SchemaTable): Checker | undefined {
  if (anyOf === undefined) return undefined;
  const branches = anyOf.map(checkerOf);
  const expected = () => either(anyOf.map((branch) => expectation(tableOf(branch))));
  return (value, check) => {
    const { path, issues } = check;
    let furthest: readonly Issue[] = [];
    let depth = path.length;
    for (const branch of branches) {
      const attempt: Check = { path, failures: 0, issues: issues && [] };
      branch(value, attempt);
      if (attempt.failures === 0) return;
      const [first] = attempt.issues ?? [];
      if (first === undefined || first.path.length <= depth) continue;
      furthest = attempt.issues ?? [];
      depth = first.path.length;
    }
    if (furthest.length === 0) return report(check, expected, value);
    check.failures += furthest.length;
    issues?.push(...furthest.slice(0, maxIssues - issues.length));
  };
}

/** Says what is wrong with a value by a table: at most 20 issues, none where it is valid. */
export function issueFinder(node: SchemaNode): (value: unknown) => readonly Issue[] {
  const check = checkerOf({ ref: () => tableOf(node) });
  return (value) => {
    const trial: Check = { path: [], failures: 0, issues: undefined };
    check(value, trial);
    const issues: Issue[] = [];
    if (trial.failures > 0) check(value, { path: [], failures: 0, issues });
    return issues;
  };
}
