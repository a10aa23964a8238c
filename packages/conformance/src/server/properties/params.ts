import { StepFailure } from "../check.ts";
import type { Ending } from "../connection.ts";
import type { DocumentMethod } from "../document.ts";
import { isObject, shortJson, valueAt } from "../json.ts";
import type { Variables } from "../placeholders.ts";
import { odd, oddValues } from "./odd-values.ts";
import type { Property } from "./property.ts";
import { paramsOf } from "./schema-values.ts";

const invalidParams = -32602;
/** Codes of a call that the server did not understand. */
const notUnderstood = [-32700, -32600, -32601];

/** A method takes what its schema allows: a result or a declared error, and no refusal but of a value that no schema can judge. */
export function acceptedParams(method: DocumentMethod): Property<unknown> {
  const { name } = method;
  return {
    id: `fuzz/${name}/allowed`,
    level: "MUST",
    profile: "schemas",
    rule: `${name} takes what its schema allows`,
    source: "JSON Schema; the method's params",
    values: ({ contract }, known) => paramsOf(method, contract, known),
    async holds(params, { connection, known }) {
      const { error } = await connection.call(name, params);
      if (error === undefined) return;
      if (notUnderstood.includes(error.code)) throw new StepFailure([`allowed params are answered with ${error.code}`]);
      if (error.code !== invalidParams && !method.errors.has(error.code))
        throw new StepFailure([`the code ${error.code} is not declared by ${name}`]);
      if (error.code !== invalidParams) return;
      const again = await connection.call(name, mended(params, error.data, method, known));
      if (again.error?.code === invalidParams)
        throw new StepFailure([
          `allowed params are refused: ${shortJson(error.data)}, and without them ${shortJson(again.error.data)}`,
        ]);
    },
  };
}

/** Tells whether a method must refuse some params. One without parameters, or with a parameter of any value, refuses none. */
export function rejectsSomeParams({ paramsProblems }: DocumentMethod): boolean {
  return odd.some((value) => paramsProblems(value).length > 0);
}

/** A method refuses what its schema excludes, and says where. */
export function refusedParams(method: DocumentMethod): Property<unknown> {
  const { name } = method;
  return {
    id: `fuzz/${name}/excluded`,
    level: "MUST",
    profile: "schemas",
    rule: `${name} refuses what its schema excludes, and says where`,
    source: "JSON-RPC 2.0 section 5.1; the method's params",
    values: ({ contract }, known) =>
      oddValues(paramsOf(method, contract, known)).filter((params) => method.paramsProblems(params).length > 0),
    async holds(params, { connection }) {
      const problem = refusalProblem(await connection.call(name, params), params);
      if (problem !== undefined) throw new StepFailure([`${method.paramsProblems(params).join("; ")}, but ${problem}`]);
    },
  };
}

function pointersOf(data: unknown): readonly string[] {
  const issues = valueAt(data, "/issues");
  return Array.isArray(issues) ? issues.map((issue) => String(valueAt(issue, "/pointer"))) : [];
}

function refusalProblem({ result, error }: Ending, params: unknown): string | undefined {
  if (error === undefined) return `the result is ${shortJson(result)}`;
  if (error.code !== invalidParams) return `the error is ${error.code}`;
  const pointers = pointersOf(error.data);
  if (pointers.length === 0) return "no issue says where";
  const request = { params: [params] };
  // A member that is missing has a place, too.
  const stray = pointers.find((pointer) => valueAt(request, pointer.replace(/\/[^/]*$/, "")) === undefined);
  return stray === undefined ? undefined : `an issue points at ${stray}, where there is nothing`;
}

/** Removes the members that a refusal names from the params, and gives required and missing ones a known value. */
function mended(
  params: unknown,
  data: unknown,
  { params: schema, examples }: DocumentMethod,
  known: Variables,
): unknown {
  const given = isObject(params) ? params : {};
  const named = pointersOf(data).flatMap((pointer) => pointer.split("/")[3] ?? []);
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  const kept = Object.entries(given).filter(([name]) => !named.includes(name));
  const needed = named.filter((name) => required.includes(name) || !Object.hasOwn(given, name));
  const filled = needed.map((name) => [name, known[name] ?? valueAt(examples[0]?.params, `/${name}`)] as const);
  return Object.fromEntries([...kept, ...filled]);
}
