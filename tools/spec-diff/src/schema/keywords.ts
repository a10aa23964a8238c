import { isJsonObject, isStringArray } from "../../../generator/src/json.ts";

const isNumber = (value: unknown) => typeof value === "number";
const isCount = (value: unknown) => Number.isInteger(value);
const isBoolean = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string";
const isSchema = (value: unknown) => isBoolean(value) || isJsonObject(value);
const isSchemas = (value: unknown) => Array.isArray(value) && value.every(isSchema);
const isSchemaMap = (value: unknown) => isJsonObject(value) && Object.values(value).every(isSchema);
const isAny = () => true;

/** Keywords that restrict a value, each with a test of its own value. */
const assertions = {
  type: (value: unknown) => isText(value) || isStringArray(value),
  enum: Array.isArray,
  const: isAny,
  minimum: isNumber,
  exclusiveMinimum: isNumber,
  maximum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value: unknown) => isNumber(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: isBoolean,
  pattern: isText,
  format: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  properties: isSchemaMap,
  required: isStringArray,
  additionalProperties: isSchema,
  unevaluatedProperties: isSchema,
  patternProperties: isSchemaMap,
  propertyNames: isSchema,
  dependentRequired: isAny,
  dependentSchemas: isAny,
  items: isSchema,
  prefixItems: isSchemas,
  unevaluatedItems: isSchema,
  contains: isAny,
  contentSchema: isAny,
  anyOf: isSchemas,
  oneOf: isSchemas,
  allOf: isSchemas,
  not: isAny,
  if: isAny,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: isAny,
  else: isAny,
} as const;

/** Keywords that restrict no value. */
const annotations = {
  title: isAny,
  description: isAny,
  $comment: isAny,
  externalDocs: isAny,
  examples: isAny,
  default: isAny,
  deprecated: isBoolean,
  readOnly: isBoolean,
  writeOnly: isBoolean,
  "x-unit": isAny,
  $defs: isAny,
  definitions: isAny,
} as const;

type Assertion = keyof typeof assertions;
export type Keyword = Assertion | keyof typeof annotations;

export const assertionNames: ReadonlySet<string> = new Set(Object.keys(assertions));

const tests = { ...assertions, ...annotations };

export function isKeyword(name: string): name is Keyword {
  return Object.hasOwn(tests, name);
}

/** Returns true if the rules can compare this value of a keyword. */
export function isKnown(keyword: Keyword, value: unknown): boolean {
  return tests[keyword](value);
}
