import type { MethodModel, Model } from "../../model.ts";
import { failureType } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { resolved, schemaNamed } from "../../schema-lookup.ts";
import { methodComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { Code } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates a descriptor for each method: name, declared errors, traits, and types for the compiler. */
export function methodsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.value("../descriptor.ts", "method");
  return sourceFile(
    "methods.ts",
    imports,
    model.methods.map((method) => descriptor(model, method, imports)),
  );
}

function descriptor(model: Model, method: MethodModel, imports: Imports) {
  const names = [
    imports.type("./types.ts", method.params),
    imports.type("./types.ts", method.result),
    imports.type("./errors.ts", failureType(method.stem)),
  ];
  const errors = Object.fromEntries(method.errors.map(({ code, name }) => [String(code), name]));
  return constant({
    name: method.identifier,
    type: imports.type("../descriptor.ts", method.poll ? "PolledMethod" : "Method"),
    typeArguments: names,
    initializer: { callee: "method", args: [method.name, errors, traitsOf(model, method)] },
    docs: methodComment(method),
  });
}

/** Returns the traits of a method (`MethodTraits` of the protocol) that the document describes. */
function traitsOf(model: Model, method: MethodModel): object {
  const { readOnly, page, poll, cancels } = method;
  const wait = waitMember(model, method);
  const canceler = model.methods.find((other) => other.cancels?.method === method.name);
  return {
    ...((readOnly || cancels) && { repeatable: readOnly ? "reads" : "cancels" }),
    ...(page && { pages: true }),
    ...(wait !== undefined && { wait }),
    ...(poll && { final: Object.fromEntries(poll.final.map((state) => [state, poll.success.includes(state)])) }),
    ...(canceler && { canceler: new Code(`() => ${canceler.identifier}`) }),
  };
}

/**
 * Returns the member that makes a method wait: from its own `x-poll`, or from the `x-poll` of a linked method with the
 * same member.
 */
function waitMember(model: Model, { poll, links, params }: MethodModel): string | undefined {
  const linked = links.map(({ method }) => model.methods.find(({ name }) => name === method)?.poll);
  const waits = [poll, ...linked].map((one) => one?.request.wait);
  const [member, ...inner] = waits.find((wait) => wait !== undefined) ?? [];
  const { properties } = resolved(model, schemaNamed(model, params));
  return inner.length === 0 && properties.some(({ name }) => name === member) ? member : undefined;
}
