import { StepFailure } from "../check.ts";
import type { CallOutcome } from "../connection.ts";
import type { DocumentMethod } from "../document.ts";
import { isObject, shortJson, valueAt } from "../json.ts";
import type { Variables } from "../placeholders.ts";
import { odd, oddValues } from "./odd-values.ts";
import type { Property } from "./property.ts";
import { paramsOf } from "./schema-values.ts";

const invalidParams = -32602;
/** Number of refusals after which params without the refused members count as refused. */
const maxRounds = 3;
/** Codes of a call that the server could not read. */
const notUnderstood = [-32700, -32600, -32601];

/**
 * A method accepts what its schema allows: it returns a result or a declared error. It may refuse a value that no schema can
 * exclude, such as an unknown column.
 */
export function acceptedParams(method: DocumentMethod): Property<unknown> {
  const { name } = method;
  return {
    id: `fuzz/${name}/allowed`,
    level: "MUST",
    profile: "schemas",
    rule: `${name} accepts the params that its schema allows.`,
    source: "JSON Schema; the method's params",
    values: ({ contract }, known) => paramsOf(method, contract, known),
    async holds(params, { connection, known }) {
      const { error } = await connection.call(name, params);
      if (error === undefined) return;
      if (notUnderstood.includes(error.code))
        throw new StepFailure([`valid params: expected a result or a declared error, got the error ${error.code}`]);
      if (error.code !== invalidParams && !method.errors.has(error.code))
        throw new StepFailure([`error code ${error.code} is not declared by ${name}`]);
      // A service may refuse one member at a time.
      let tried = params;
      let refusal: typeof error | undefined = error;
      for (let round = 0; refusal?.code === invalidParams; round += 1) {
        if (round === maxRounds)
          throw new StepFailure([
            `valid params are refused: ${shortJson(error.data)}; without the refused members: ${shortJson(refusal.data)}`,
          ]);
        tried = repaired(tried, refusal.data, method, known);
        refusal = (await connection.call(name, tried)).error;
      }
    },
  };
}

/** Returns false for a method without parameters, or with a parameter of any value: it refuses no params. */
export function rejectsSomeParams({ paramsProblems }: DocumentMethod): boolean {
  return odd.some((value) => paramsProblems(value).length > 0);
}

/** A method refuses what its schema excludes, and names the pointer. */
export function refusedParams(method: DocumentMethod): Property<unknown> {
  const { name } = method;
  return {
    id: `fuzz/${name}/excluded`,
    level: "MUST",
    profile: "schemas",
    rule: `${name} refuses the params that its schema excludes, and gives their pointer.`,
    source: "JSON-RPC 2.0 section 5.1; the method's params",
    values: ({ contract }, known) =>
      oddValues(paramsOf(method, contract, known)).filter((params) => method.paramsProblems(params).length > 0),
    async holds(params, { connection }) {
      const problem = refusalProblem(await connection.call(name, params), params);
      if (problem !== undefined)
        throw new StepFailure([`invalid params (${method.paramsProblems(params).join("; ")}): ${problem}`]);
    },
  };
}

function pointersOf(data: unknown): readonly string[] {
  const issues = valueAt(data, "/issues");
  return Array.isArray(issues) ? issues.map((issue) => String(valueAt(issue, "/pointer"))) : [];
}

function refusalProblem({ result, error }: CallOutcome, params: unknown): string | undefined {
  if (error === undefined) return `expected the error ${invalidParams}, got the result ${shortJson(result)}`;
  if (error.code !== invalidParams) return `expected the error ${invalidParams}, got the error ${error.code}`;
  const pointers = pointersOf(error.data);
  if (pointers.length === 0) return "error.data.issues: expected a pointer to the invalid value, got none";
  const request = { params: [params] };
  // A pointer may name a missing member, so only the value that should have it must exist.
  const wrong = pointers.find((pointer) => valueAt(request, pointer.replace(/\/[^/]*$/, "")) === undefined);
  return wrong === undefined ? undefined : `error.data.issues: the pointer ${wrong} leads to no value of the request`;
}

/**
 * Removes the members that an error names. Sets the required and the missing ones of these to a known value, or to that
 * of the first example.
 */
function repaired(
  params: unknown,
  data: unknown,
  { params: schema, examples }: DocumentMethod,
  known: Variables,
): unknown {
  const given = isObject(params) ? params : {};
  const named = pointersOf(data).flatMap((pointer) => pointer.split("/")[3] ?? []);
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  const accepted = Object.entries(given).filter(([name]) => !named.includes(name));
  const needed = named.filter((name) => required.includes(name) || !Object.hasOwn(given, name));
  const filled = needed.map((name) => [name, known[name] ?? valueAt(examples[0]?.params, `/${name}`)] as const);
  return Object.fromEntries([...accepted, ...filled]);
}
