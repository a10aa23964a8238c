import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { isObject, type JsonObject, shortJson, valueAt } from "./json.ts";

interface DocumentExample {
  readonly name: string;
  readonly params: unknown;
  readonly result: unknown;
}

/** Call that can follow a result. `${result.a.b}` in its params is the value at `/a/b` of the result. */
export interface DocumentLink {
  readonly name: string;
  readonly method: string;
  /** Value of the one parameter. */
  readonly params: unknown;
}

/** Declared error of a method. */
interface DocumentError {
  readonly name: string;
  /** Returns the differences between an error's data and its schema; none if it matches. */
  readonly dataProblems: (data: unknown) => readonly string[];
}

/** Members by which a method polls a run. */
interface Poll {
  /** Member of the params with the id of the run. */
  readonly id: string;
  /** JSON pointer to the state in the result. */
  readonly state: string;
  readonly final: readonly unknown[];
}

/** Members by which a method cancels a run that another one creates. */
interface Cancel {
  /** Method that creates the run. */
  readonly method: string;
  /** Members of the params with the id of the run, and with the id of one of its requests. */
  readonly run: string;
  readonly request: string;
}

/** Method of an OpenRPC document, with compiled schemas. */
export interface DocumentMethod {
  readonly name: string;
  readonly examples: readonly DocumentExample[];
  readonly links: readonly DocumentLink[];
  /** Resolved schema of the one parameter; undefined for a method without parameters. */
  readonly params: JsonObject | undefined;
  /** Schema of the result, which may be a reference. */
  readonly result: unknown;
  readonly paramsProblems: (params: unknown) => readonly string[];
  /** Returns the differences between a result and its schema; none if it matches. */
  readonly resultProblems: (result: unknown) => readonly string[];
  /** Declared errors by code. */
  readonly errors: ReadonlyMap<number, DocumentError>;
  readonly poll: Poll | undefined;
  readonly cancels: Cancel | undefined;
  /** True if the result is one page of several. */
  readonly pages: boolean;
  /** True if the method only reads or cancels, so a client may repeat it. */
  readonly repeatable: boolean;
}

/** OpenRPC document, prepared for checking answers. */
export interface Contract {
  readonly document: unknown;
  readonly methods: ReadonlyMap<string, DocumentMethod>;
  /** Returns the schema, or the one that it refers to. */
  resolve(schema: unknown): JsonObject;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Largest number of differences that are listed for one value. */
const maxFaults = 20;

/** Formats errors of ajv, each with its pointer, the expectation and the value. */
function faultsOf(errors: readonly ErrorObject[]): readonly string[] {
  // An error of `anyOf` only repeats that each of its alternatives has an error.
  const causes = errors.filter(({ keyword }) => keyword !== "anyOf");
  const texts = [...new Set((causes.length > 0 ? causes : errors).map(faultOf))];
  const more = texts.length - maxFaults;
  return more > 0 ? [...texts.slice(0, maxFaults), `and ${more} more`] : texts;
}

function faultOf({ instancePath, keyword, params, message = "", data }: ErrorObject): string {
  if (keyword === "required") return `${instancePath}/${params.missingProperty} is missing`;
  if (keyword === "additionalProperties") return `${instancePath}/${params.additionalProperty} is not in the schema`;
  const expected = keyword === "enum" ? `be one of ${shortJson(params.allowedValues)}` : message.replace(/^must /, "");
  return `${instancePath || "/"} must ${keyword === "type" ? expected.replaceAll(",", " or ") : expected}, got ${shortJson(data)}`;
}

/**
 * Prepares a document. Its schemas are compiled with ajv at their first use, which throws for an unresolved reference
 * in them.
 * @throws Error if it has no methods, or an unresolved reference to an example, a link, an error or a schema of params
 */
export function createContract(document: unknown): Contract {
  const root = isObject(document) ? document : {};
  const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, ownProperties: true });
  formats.default(ajv);

  function resolve(value: JsonObject): JsonObject {
    const found = typeof value.$ref === "string" ? valueAt(root, value.$ref.slice(1)) : value;
    if (!isObject(found)) throw new Error(`unresolved reference in the OpenRPC document: ${String(value.$ref)}`);
    return found;
  }

  /** Returns a validator that compiles the schema at its first use, because a run needs few schemas of a large document. */
  function validator(schema: unknown): (value: unknown) => readonly string[] {
    if (!isObject(schema)) return () => [];
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= ajv.compile({ ...schema, components: root.components });
      return validate(value) ? [] : faultsOf(validate.errors ?? []);
    };
  }

  function errorsOf(method: JsonObject): DocumentMethod["errors"] {
    const entries = objects(method.errors).map((entry): readonly [number, DocumentError] => {
      const name = typeof entry.$ref === "string" ? (entry.$ref.split("/").at(-1) ?? "") : String(entry.message);
      return [Number(resolve(entry).code), { name, dataProblems: validator(valueAt(root, `/x-errors/${name}/data`)) }];
    });
    return new Map(entries);
  }

  function pollOf(method: JsonObject): DocumentMethod["poll"] {
    const poll = method["x-poll"];
    const id = String(valueAt(poll, "/request/id")).slice(1);
    const state = valueAt(poll, "/result/state");
    const final = valueAt(poll, "/final");
    return typeof state === "string" && Array.isArray(final) ? { id, state, final } : undefined;
  }

  function cancelOf(method: JsonObject): DocumentMethod["cancels"] {
    const cancels = method["x-cancels"];
    if (!isObject(cancels)) return undefined;
    const member = (role: string) => String(valueAt(cancels, `/request/${role}`)).slice(1);
    return { method: String(cancels.method), run: member("run"), request: member("withdraw") };
  }

  const methods = objects(root.methods).map((method): DocumentMethod => {
    const examples = objects(method.examples).map(resolve);
    const params = valueAt(method, "/params/0/schema");
    const result = valueAt(method, "/result/schema");
    return {
      name: String(method.name),
      examples: examples.map((example) => ({
        name: String(example.name),
        params: valueAt(example, "/params/0/value"),
        result: valueAt(example, "/result/value"),
      })),
      links: objects(method.links)
        .map(resolve)
        .map((link) => ({
          name: String(link.name),
          method: String(link.method),
          params: Object.values(isObject(link.params) ? link.params : {})[0],
        })),
      params: isObject(params) ? resolve(params) : undefined,
      result,
      paramsProblems: validator(params),
      resultProblems: validator(result),
      errors: errorsOf(method),
      poll: pollOf(method),
      cancels: cancelOf(method),
      pages: isObject(method["x-page"]),
      repeatable: method["x-read-only"] === true || isObject(method["x-cancels"]),
    };
  });
  if (methods.length === 0) throw new Error("invalid OpenRPC document: it has no methods");
  return {
    document,
    methods: new Map(methods.map((method) => [method.name, method])),
    resolve: (schema) => resolve(isObject(schema) ? schema : {}),
  };
}

/** Returns a contract without result schemas, for servers that claim only JSON-RPC 2.0. */
export function withoutResultSchemas(contract: Contract): Contract {
  const methods = [...contract.methods].map(
    ([name, method]) => [name, { ...method, resultProblems: () => [] }] as const,
  );
  return { ...contract, methods: new Map(methods) };
}
