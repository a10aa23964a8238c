import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { isObject, type JsonObject, valueAt } from "./json.ts";

interface DocumentExample {
  readonly name: string;
  readonly params: unknown;
}

/** What an OpenRPC document says of a method, ready to judge by. */
interface DocumentMethod {
  readonly name: string;
  readonly examples: readonly DocumentExample[];
  /** What is wrong with a result, undefined where nothing is. */
  readonly resultProblem: (result: unknown) => string | undefined;
  /** Declared code -> what is wrong with an error's data. */
  readonly errors: ReadonlyMap<number, (data: unknown) => string | undefined>;
}

export interface Contract {
  readonly document: unknown;
  readonly methods: ReadonlyMap<string, DocumentMethod>;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function problemOf(errors: readonly ErrorObject[] | null | undefined): string {
  return (errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath || "/"} ${message}`)
    .join("; ");
}

/** The document as what answers are judged by: its own schemas, read by ajv. @throws where it is no OpenRPC document. */
export function createContract(document: unknown): Contract {
  const root = isObject(document) ? document : {};
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);

  function resolve(value: JsonObject): JsonObject {
    const found = typeof value.$ref === "string" ? valueAt(root, value.$ref.slice(1)) : value;
    if (!isObject(found)) throw new Error(`the document has no ${String(value.$ref)}`);
    return found;
  }

  /** Compiled at its first use: most schemas of a large document are never needed in a run. */
  function judge(schema: unknown): (value: unknown) => string | undefined {
    if (!isObject(schema)) return () => undefined;
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= ajv.compile({ ...schema, components: root.components });
      return validate(value) ? undefined : problemOf(validate.errors);
    };
  }

  function errorsOf(method: JsonObject): DocumentMethod["errors"] {
    const entries = objects(method.errors).map((entry): readonly [number, (data: unknown) => string | undefined] => {
      const name = typeof entry.$ref === "string" ? entry.$ref.split("/").at(-1) : undefined;
      return [
        Number(resolve(entry).code),
        judge(name === undefined ? undefined : valueAt(root, `/x-errors/${name}/data`)),
      ];
    });
    return new Map(entries);
  }

  const methods = objects(root.methods).map((method): DocumentMethod => {
    const examples = objects(method.examples).map(resolve);
    return {
      name: String(method.name),
      examples: examples.map((example) => ({
        name: String(example.name),
        params: valueAt(example, "/params/0/value"),
      })),
      resultProblem: judge(valueAt(method, "/result/schema")),
      errors: errorsOf(method),
    };
  });
  if (methods.length === 0) throw new Error("the OpenRPC document has no methods");
  return { document, methods: new Map(methods.map((method) => [method.name, method])) };
}
