import type {
  ContentDescriptorObject,
  ErrorOrReference,
  ExamplePairingOrReference,
  LinkOrReference,
  MethodOrReference,
  TagOrReference,
} from "@open-rpc/meta-schema";
import { readInlineError } from "./error-reader.ts";
import { readCancels, readPage, readPoll } from "./extension-reader.ts";
import { isJsonObject } from "./json.ts";
import type { ErrorModel, ExampleModel, LinkModel, MethodModel } from "./model.ts";
import { identifier, kebabCase, pascalCase } from "./names.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";
import type { SchemaNames } from "./schema-names.ts";
import { compact } from "./schema-reader.ts";
import { SpecError } from "./spec-error.ts";

/** Reads one method. Its parameters are one object, by position: that is what the envelope of the service carries. */
export function readMethod(
  method: MethodOrReference,
  pointer: string,
  errors: ReadonlyMap<string, ErrorModel>,
  names: SchemaNames,
): MethodModel {
  if (isReference(method)) throw new SpecError(pointer, "a method must be written in place");
  const stem = pascalCase(method.name);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(stem))
    throw new SpecError(pointerBelow(pointer, "name"), `"${method.name}" makes no name for TypeScript`);
  const [params, ...others] = method.params;
  if (params === undefined || others.length > 0)
    throw new SpecError(pointerBelow(pointer, "params"), "a method takes exactly one parameter, an object");
  const descriptor = inPlace(params, pointerBelow(pointer, "params", 0));
  if (method.result === undefined) throw new SpecError(pointer, "a method must describe its result");
  const result = inPlace(method.result, pointerBelow(pointer, "result"));
  return compact<MethodModel>({
    name: method.name,
    identifier: identifier(method.name),
    stem,
    slug: kebabCase(method.name),
    pointer,
    summary: method.summary ?? method.description ?? method.name,
    description: method.description ?? method.summary ?? "",
    deprecated: method.deprecated === true,
    tags: (method.tags ?? []).map(tagName),
    params: names.name(descriptor.schema, pointerBelow(pointer, "params", 0, "schema"), `${stem}Params`),
    result: names.name(result.schema, pointerBelow(pointer, "result", "schema"), `${stem}Result`),
    errors: (method.errors ?? []).map((error, index) =>
      readMethodError(error, pointerBelow(pointer, "errors", index), errors),
    ),
    examples: (method.examples ?? []).map((example, index) =>
      readExample(example, pointerBelow(pointer, "examples", index)),
    ),
    links: (method.links ?? []).map((link, index) => readLink(link, pointerBelow(pointer, "links", index))),
    poll: readPoll(method["x-poll"], pointerBelow(pointer, "x-poll")),
    page: readPage(method["x-page"], pointerBelow(pointer, "x-page")),
    cancels: readCancels(method["x-cancels"], pointerBelow(pointer, "x-cancels")),
  });
}

function isReference(value: object): value is { readonly $ref: string } {
  return "$ref" in value && typeof value.$ref === "string";
}

function inPlace(
  descriptor: ContentDescriptorObject | { readonly $ref: string },
  pointer: string,
): ContentDescriptorObject {
  if (isReference(descriptor))
    throw new SpecError(pointer, "a content descriptor must be written in place; its schema may be a reference");
  return descriptor;
}

function tagName(tag: TagOrReference): string {
  return isReference(tag) ? (pointerSegments(tag.$ref.slice(1)).at(-1) ?? "") : tag.name;
}

function readMethodError(
  error: ErrorOrReference,
  pointer: string,
  errors: ReadonlyMap<string, ErrorModel>,
): ErrorModel {
  if (!isReference(error)) return readInlineError(error, pointer);
  const name = pointerSegments(error.$ref.slice(1)).at(-1) ?? "";
  const declared = errors.get(name);
  if (declared === undefined) throw new SpecError(pointer, `there is no error ${name} in components/errors`);
  return declared;
}

function readExample(example: ExamplePairingOrReference, pointer: string): ExampleModel {
  if (isReference(example)) throw new SpecError(pointer, "an example must be written in place");
  const [params, ...others] = example.params;
  if (params === undefined || isReference(params) || others.length > 0) {
    throw new SpecError(pointerBelow(pointer, "params"), "an example has exactly one parameter, written in place");
  }
  const result: unknown = example.result;
  return compact<ExampleModel>({
    name: example.name,
    pointer,
    // The meta-schema knows a summary only on the parameter; its types know none at all.
    summary: typeof params.summary === "string" ? params.summary : example.name,
    description: example.description ?? "",
    params: params.value as unknown,
    result: isJsonObject(result) && "value" in result ? { value: result.value } : undefined,
  });
}

function readLink(link: LinkOrReference, pointer: string): LinkModel {
  if (isReference(link)) throw new SpecError(pointer, "a link must be written in place");
  const { request }: { request?: unknown } = isJsonObject(link.params) ? link.params : {};
  return {
    name: link.name ?? link.method ?? "",
    pointer,
    description: link.description ?? link.summary ?? "",
    method: link.method ?? "",
    params: isJsonObject(request) ? request : {},
  };
}
