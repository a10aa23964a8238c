import { ExactNumber, type Issue, issueAt } from "@quern/json-rpc/envelope";
import { describeSchema, orList, typeNames } from "./describe-schema.ts";
import { areEqual, isDateTime, isObject } from "./json-value.ts";
import type { SchemaNode, SchemaTable, TypeName } from "./schema-table.ts";

const maxIssues = 20;
/** Maximum depth of a value, so that a recursive schema cannot overflow the stack. */
const maxDepth = 500;

/** State of a check. The path is one mutable array, so that checking a valid value copies no path. */
interface Check {
  readonly path: PropertyKey[];
  failures: number;
  /** Undefined to count failures only: describing one issue takes longer than finding all. */
  readonly issues: Issue[] | undefined;
}

/** Checks a value and reports its issues to `check`. */
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
      return Number.isFinite(value) || (value instanceof ExactNumber && value.isDecimal);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value) && !(value instanceof ExactNumber);
  }
}

function hasAnyType(value: unknown, wanted: readonly TypeName[]): boolean {
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

/**
 * Returns the checker of a schema. A referenced schema is compiled once, on first use, because schemas may be
 * recursive.
 */
function checkerOf(node: SchemaNode): Checker {
  if (!("ref" in node)) return compile(node);
  let checker: Checker | undefined;
  return (value, check) => {
    if (check.path.length > maxDepth) return report(check, () => `at most ${maxDepth} levels`, value);
    if (checker === undefined) {
      const table = node.ref();
      checker = checkers.get(table) ?? compile(table);
      checkers.set(table, checker);
    }
    checker(value, check);
  };
}

function compile(table: SchemaTable): Checker {
  const { type } = table;
  const wanted = typeof type === "string" ? [type] : type;
  const keywords = [valueChecker, stringChecker, numberChecker, arrayChecker, objectChecker, anyOfChecker];
  const parts = keywords.map((make) => make(table)).filter((part) => part !== undefined);
  return (value, check) => {
    if (wanted !== undefined && !hasAnyType(value, wanted)) return report(check, () => typeNames(wanted), value);
    for (const part of parts) part(value, check);
  };
}

function valueChecker(table: SchemaTable): Checker | undefined {
  const { const: only, enum: allowed = only === undefined ? undefined : [only] } = table;
  if (allowed === undefined) return undefined;
  return (value, check) => {
    if (!allowed.some((one) => areEqual(value, one))) report(check, () => describeSchema(table), value);
  };
}

function stringChecker({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, ...table }: SchemaTable) {
  const { pattern, patternText = `a text that matches ${pattern}`, format } = table;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const isDate = format === "date-time";
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY && expression === undefined && !isDate)
    return undefined;
  return (value: unknown, check: Check): void => {
    if (typeof value !== "string") return;
    // `length` counts UTF-16 units, and a code point has one or two: only some values need their code points counted.
    const isDecided = value.length < minLength || (value.length >= 2 * minLength && value.length <= maxLength);
    const length = isDecided ? value.length : [...value].length;
    if (length < minLength) report(check, () => `at least ${minLength} characters`, value);
    if (length > maxLength) report(check, () => `at most ${maxLength} characters`, value);
    if (expression?.test(value) === false) report(check, () => patternText, value);
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

/** Treats members with the value `undefined` as missing: JSON omits them. */
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
  const expectedMember = (name: string): string => {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return node === undefined ? "a value" : describeSchema(tableOf(node));
  };
  const missing =
    (name: string): Checker =>
    (value, check) =>
      report(check, () => expectedMember(name), value);
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

/**
 * Reports the issues of the branch that failed deepest in the value, of several such the one with the fewest issues; if
 * all failed at the value itself, one issue with all branches.
 */
function anyOfChecker({ anyOf }: SchemaTable): Checker | undefined {
  if (anyOf === undefined) return undefined;
  const branches = anyOf.map(checkerOf);
  const expected = () => orList(anyOf.map((branch) => describeSchema(tableOf(branch))));
  return (value, check) => {
    const { path, issues } = check;
    let deepest: readonly Issue[] = [];
    let depth = path.length;
    for (const branch of branches) {
      const attempt: Check = { path, failures: 0, issues: issues && [] };
      branch(value, attempt);
      if (attempt.failures === 0) return;
      const [first] = attempt.issues ?? [];
      if (first === undefined || first.path.length < depth) continue;
      const isCloser = first.path.length > depth || attempt.failures < deepest.length;
      if (!isCloser) continue;
      deepest = attempt.issues ?? [];
      depth = first.path.length;
    }
    if (deepest.length === 0) return report(check, expected, value);
    check.failures += deepest.length;
    issues?.push(...deepest.slice(0, maxIssues - issues.length));
  };
}

/** Returns a function that validates a value by a schema and returns at most 20 issues; none for a valid value. */
export function issueFinder(node: SchemaNode): (value: unknown) => readonly Issue[] {
  const check = checkerOf({ ref: () => tableOf(node) });
  return (value) => {
    const count: Check = { path: [], failures: 0, issues: undefined };
    check(value, count);
    const issues: Issue[] = [];
    if (count.failures > 0) check(value, { path: [], failures: 0, issues });
    return issues;
  };
}
