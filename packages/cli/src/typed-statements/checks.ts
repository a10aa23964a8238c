/** Functions of the generated files, by name, each with the functions that it calls. The order is that in a file. */
const checks: Readonly<Record<string, string>> = {
  isAny: "const isAny: Check = () => true;",
  isString: 'const isString: Check = (value) => typeof value === "string";',
  isNumber: 'const isNumber: Check = (value) => typeof value === "number";',
  isBoolean: 'const isBoolean: Check = (value) => typeof value === "boolean";',
  isText: 'const isText = (pattern: RegExp): Check => (value) => typeof value === "string" && pattern.test(value);',
  isNumberOr: 'const isNumberOr = (isOther: Check): Check => (value) => typeof value === "number" || isOther(value);',
  isInteger: "const isInteger: Check = isNumberOr(isText(/^-?\\d+$/));",
  isDecimal: "const isDecimal: Check = isNumberOr(isText(/^-?\\d|^NaN$|^-?Infinity$/));",
  isDouble: "const isDouble: Check = isNumberOr(isText(/^NaN$|^-?Infinity$/));",
  isDate: "const isDate: Check = isText(/^([+-]\\d{6}|\\d{4})-\\d\\d-\\d\\d$|^-?infinity$/);",
  isTimestamp: "const isTimestamp: Check = isText(/^([+-]\\d{6}|\\d{4})-\\d\\d-\\d\\dT[\\d:.]+Z$|^-?infinity$/);",
  oneOf:
    'const oneOf = (...words: readonly string[]): Check => (value) => typeof value === "string" && words.includes(value);',
  orNull: "const orNull = (check: Check): Check => (value) => value === null || check(value);",
  listOf: "const listOf = (check: Check): Check => (value) => Array.isArray(value) && value.every(check);",
  mapOf: "const mapOf = (check: Check): Check => (value) => isObject(value) && Object.values(value).every(check);",
  objectOf: [
    "const objectOf = (members: Members): Check => (value) =>",
    "    isObject(value) && Object.keys(value).length === members.length &&",
    "    members.every(([name, check]) => Object.hasOwn(value, name) && check(value[name]));",
  ].join("\n"),
  unionOf: [
    "const unionOf = (members: Members): Check => (value) =>",
    "    isObject(value) && Object.keys(value).length === 1 &&",
    "    members.some(([name, check]) => Object.hasOwn(value, name) && check(value[name]));",
  ].join("\n"),
};

/** Returns the functions that a text calls, and those that they call. */
export function checksFor(text: string): readonly string[] {
  const names = new Set<string>();
  const add = (code: string) => {
    for (const [name] of code.matchAll(/\b(?:is[A-Z]\w*|oneOf|orNull|(?:list|map|object|union)Of)\b/g)) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check === undefined || names.has(name)) continue;
      names.add(name);
      add(check);
    }
  };
  // Texts in quotes, such as the name of a column, are no calls.
  add(text.replace(/"(?:[^"\\]|\\.)*"/g, ""));
  return Object.entries(checks).flatMap(([name, code]) => (names.has(name) ? [code] : []));
}
