import type {
  ErrorOrReference,
  ExamplePairingOrReference,
  LinkOrReference,
  MethodOrReference,
  TagOrReference,
} from "@open-rpc/meta-schema";
import { readInlineError } from "./error-reader.ts";
import { readCancels, readPage, readPoll, readReadOnly, reportMisspelt } from "./extension-reader.ts";
import { isJsonObject } from "./json.ts";
import type { ErrorModel, ExampleModel, LinkModel, MethodModel } from "./model.ts";
import { commandName, identifier, pascalCase, typeStem } from "./names.ts";
import { pointerBelow } from "./pointer.ts";
import type { Reading } from "./reading.ts";
import { compact } from "./schema-reader.ts";
import { readTool } from "./tool-reader.ts";

/**
 * Reads a method. Its params must be one object by position, because the service accepts nothing else. Returns
 * undefined, after a report, for a method that cannot be generated.
 */
export function readMethod(
  method: MethodOrReference,
  pointer: string,
  errors: ReadonlyMap<string, ErrorModel>,
  reading: Reading,
): MethodModel | undefined {
  const { faults } = reading;
  if (isReference(method)) {
    faults.report(pointer, "a method cannot be a reference; write it in place");
    return undefined;
  }
  // In a table of methods, a name such as `constructor` would clash with a member that every object inherits.
  const isNamed = /^[A-Z]/.test(pascalCase(method.name)) && !(method.name in Object.prototype);
  // A method without a valid name is still read, so that its other faults are reported.
  const stem = isNamed ? typeStem(method.name) : pascalCase(pointer);
  if (!isNamed)
    faults.report(
      pointerBelow(pointer, "name"),
      method.name in Object.prototype
        ? `"${method.name}" is a member of every JavaScript object; rename the method`
        : `"${method.name}" gives no name in TypeScript; begin it with a letter`,
    );
  if (/^rpc\./i.test(method.name))
    faults.report(
      pointerBelow(pointer, "name"),
      `JSON-RPC reserves names that begin with "rpc."; rename ${method.name}`,
    );
  if (method.paramStructure === "by-name")
    faults.report(
      pointerBelow(pointer, "paramStructure"),
      "parameters by name are not supported: params is an array of one object; write by-position",
    );
  const params = readParams(method.params, pointerBelow(pointer, "params"), reading);
  const result = readDescriptor(method.result, pointerBelow(pointer, "result"), reading);
  if (method.result === undefined) faults.report(pointer, "a method must describe its result; add one");
  reportMisspelt(method, pointer, faults);
  const model = {
    name: method.name,
    identifier: identifier(method.name),
    stem,
    slug: commandName(method.name),
    pointer,
    summary: method.summary ?? method.description ?? method.name,
    description: method.description ?? method.summary ?? "",
    deprecated: method.deprecated === true,
    readOnly: readReadOnly(method["x-read-only"], pointerBelow(pointer, "x-read-only"), faults),
    tags: (method.tags ?? []).flatMap((tag, index) => readTag(tag, pointerBelow(pointer, "tags", index), reading)),
    params:
      params === undefined
        ? undefined
        : reading.nameSchema(params, pointerBelow(pointer, "params", 0, "schema"), `${stem}Params`),
    result:
      result === undefined
        ? undefined
        : reading.nameSchema(result, pointerBelow(pointer, "result", "schema"), `${stem}Result`),
    errors: readMethodErrors(method.errors ?? [], pointerBelow(pointer, "errors"), errors, reading),
    examples: (method.examples ?? []).flatMap((example, index) =>
      readExample(example, pointerBelow(pointer, "examples", index), reading),
    ),
    links: (method.links ?? []).flatMap((link, index) =>
      readLink(link, pointerBelow(pointer, "links", index), reading),
    ),
    poll: readPoll(method["x-poll"], pointerBelow(pointer, "x-poll"), faults),
    page: readPage(method["x-page"], pointerBelow(pointer, "x-page"), faults),
    cancels: readCancels(method["x-cancels"], pointerBelow(pointer, "x-cancels"), faults),
    tool: readTool(method["x-tool"], pointerBelow(pointer, "x-tool"), faults),
  };
  if (!isNamed || model.params === undefined || model.result === undefined) return undefined;
  return compact<MethodModel>({ ...model, params: model.params, result: model.result });
}

function isReference(value: object): value is { readonly $ref: string } {
  return "$ref" in value && typeof value.$ref === "string";
}

/** Returns the schema of the only parameter. */
function readParams(params: readonly object[], pointer: string, reading: Reading): unknown {
  const [first, ...others] = params;
  if (first === undefined || others.length > 0) {
    reading.faults.report(
      pointer,
      `a method takes exactly one parameter, an object, got ${params.length}; describe one object with all params as members`,
    );
    return undefined;
  }
  if ("required" in first && first.required === false)
    reading.faults.report(
      pointerBelow(pointer, 0, "required"),
      "the parameter is always sent; write true, and make its members optional",
    );
  return readDescriptor(first, pointerBelow(pointer, 0), reading);
}

/** Returns the inline schema of a content descriptor. */
function readDescriptor(descriptor: object | undefined, pointer: string, { faults }: Reading): unknown {
  if (descriptor === undefined) return undefined;
  if (isReference(descriptor)) {
    faults.report(
      pointer,
      "a content descriptor cannot be a reference; write it in place, with a reference as its schema",
    );
    return undefined;
  }
  return "schema" in descriptor ? descriptor.schema : undefined;
}

function readTag(tag: TagOrReference, pointer: string, reading: Reading): readonly string[] {
  if (!isReference(tag)) return [tag.name];
  const name = reading.reference(tag.$ref, "tags", pointerBelow(pointer, "$ref"));
  return name === undefined ? [] : [name];
}

function readMethodErrors(
  listed: readonly ErrorOrReference[],
  pointer: string,
  errors: ReadonlyMap<string, ErrorModel>,
  reading: Reading,
): readonly ErrorModel[] {
  const read = listed.map((error, index): ErrorModel | undefined => {
    const below = pointerBelow(pointer, index);
    if (!isReference(error)) return readInlineError(error, below);
    return errors.get(reading.reference(error.$ref, "errors", pointerBelow(below, "$ref")) ?? "");
  });
  return read.filter((error, index): error is ErrorModel => {
    if (error === undefined) return false;
    const first = read.findIndex((other) => other?.name === error.name && other.code === error.code);
    if (first < index)
      reading.faults.report(pointerBelow(pointer, index), `the error ${error.name} is listed twice; remove one`);
    return first === index;
  });
}

function readExample(
  example: ExamplePairingOrReference,
  pointer: string,
  { faults }: Reading,
): readonly ExampleModel[] {
  if (isReference(example)) {
    faults.report(pointer, "an example cannot be a reference; write it in place");
    return [];
  }
  const [params, ...others] = example.params;
  if (params === undefined || isReference(params) || others.length > 0) {
    faults.report(
      pointerBelow(pointer, "params"),
      "an example has exactly one parameter, which cannot be a reference; write its name and value in place",
    );
    return [];
  }
  const result: unknown = example.result;
  return [
    compact<ExampleModel>({
      name: example.name,
      pointer,
      // In an example, the meta-schema allows a summary only on the parameter, and its types do not declare it.
      summary: typeof params.summary === "string" ? params.summary : example.name,
      description: example.description ?? "",
      params: params.value as unknown,
      result: isJsonObject(result) && "value" in result ? { value: result.value } : undefined,
    }),
  ];
}

function readLink(link: LinkOrReference, pointer: string, { faults }: Reading): readonly LinkModel[] {
  if (isReference(link)) {
    faults.report(pointer, "a link cannot be a reference; write it in place");
    return [];
  }
  const { request }: { request?: unknown } = isJsonObject(link.params) ? link.params : {};
  if (link.params !== undefined && !isJsonObject(request))
    faults.report(
      pointerBelow(pointer, "params"),
      "must have an object named request; move the members of the next call into it",
    );
  if (link.method === undefined) faults.report(pointer, "missing method of the link; add the method that it leads to");
  return [
    {
      name: link.name ?? link.method ?? "",
      pointer,
      description: link.description ?? link.summary ?? "",
      method: link.method ?? "",
      params: isJsonObject(request) ? request : {},
    },
  ];
}
