import { type Faults, suggestion } from "./faults.ts";
import type { JsonType, LinkModel, MemberPath, MethodModel, Model, SchemaNode } from "./model.ts";
import { pointerBelow } from "./pointer.ts";
import { resolved, schemaNamed } from "./schema-lookup.ts";

/**
 * Types that the members of pages and polls must have, by role. The member of a role that is not listed may have any
 * type.
 */
const roleTypes: Readonly<Record<string, readonly JsonType[]>> = {
  wait: ["integer", "number"],
  state: ["string"],
  number: ["integer"],
  size: ["integer"],
  rows: ["array"],
  columns: ["array"],
  totalRows: ["integer"],
  totalPages: ["integer"],
};

/**
 * Reports params that are not an object; links and extensions that name undefined methods, members or states, or
 * members of a wrong type; and extensions that contradict each other.
 */
export function checkMethods(model: Model, methodNames: readonly string[], faults: Faults): void {
  for (const method of model.methods) {
    checkParams(method);
    for (const link of method.links) checkLink(link, method);
    checkMemberPaths("x-poll", method, method.poll);
    checkMemberPaths("x-page", method, method.page);
    checkMemberPaths("x-cancels", method, method.cancels && { request: method.cancels.request });
    if (method.poll !== undefined) checkStates(method, method.poll.final, method.poll.result.state ?? []);
    if (method.cancels !== undefined)
      checkMethod(method.cancels.method, pointerBelow(method.pointer, "x-cancels", "method"));
    checkReadOnly(method);
  }

  function checkParams({ params, pointer }: MethodModel): void {
    const { types } = resolved(model, schemaNamed(model, params));
    const at = pointerBelow(pointer, "params", 0, "schema");
    if (types.join() !== "object" && !faults.has(at))
      faults.report(at, 'the parameter must be an object; describe one by "type": "object" and properties');
  }

  function checkMethod(name: string, pointer: string): MethodModel | undefined {
    const found = model.methods.find((method) => method.name === name);
    if (!methodNames.includes(name)) faults.report(pointer, `unknown method: ${name}${suggestion(name, methodNames)}`);
    return found;
  }

  function checkLink(link: LinkModel, method: MethodModel): void {
    if (link.method === "") return;
    const target = checkMethod(link.method, pointerBelow(link.pointer, "method"));
    for (const [member, value] of Object.entries(link.params)) {
      const pointer = pointerBelow(link.pointer, "params", "request", member);
      if (target !== undefined) checkPath(target.params, [member], pointer);
      const expression = typeof value === "string" ? /^\$\{(result|params)\.(.+)\}$/.exec(value) : null;
      if (expression?.[1] === "result") checkPath(method.result, expression[2]?.split(".") ?? [], pointer);
    }
  }

  function checkMemberPaths(
    extension: string,
    method: MethodModel,
    paths: Partial<Readonly<Record<"request" | "result", Readonly<Record<string, MemberPath>>>>> | undefined,
  ): void {
    for (const [part, schema] of [
      ["request", method.params],
      ["result", method.result],
    ] as const)
      for (const [role, path] of Object.entries(paths?.[part] ?? {})) {
        const pointer = pointerBelow(method.pointer, extension, part, role);
        checkPath(schema, path, pointer);
        checkType(schema, path, role, pointer);
      }
  }

  function checkType(schemaName: string, path: MemberPath, role: string, pointer: string): void {
    const wanted = roleTypes[role];
    if (wanted === undefined) return;
    const types = [...new Set(memberSchemas(model, schemaName, path).flatMap((schema) => schema.types))];
    if (types.length > 0 && !types.some((type) => wanted.includes(type)))
      faults.report(
        pointer,
        `the member ${path.join(".")} has the type ${types.join(" or ")}; name one with the type ${wanted.join(" or ")}`,
      );
  }

  function checkPath(schemaName: string, path: MemberPath, pointer: string): void {
    let schemas = [schemaNamed(model, schemaName)].flatMap((schema) => alternatives(model, schema));
    for (const name of path) {
      const properties = schemas.flatMap((schema) => schema.properties);
      const isOpen = schemas.some(
        (schema) => typeof schema.additionalProperties === "object" || schema.types.length === 0,
      );
      if (isOpen) return;
      const found = properties.filter((property) => property.name === name);
      if (found.length === 0) {
        const known = properties.map((property) => property.name);
        faults.report(pointer, `${schemaName} has no member ${path.join(".")}${suggestion(name, known)}`);
        return;
      }
      schemas = found.flatMap((property) => alternatives(model, property.schema));
    }
  }

  function checkStates(method: MethodModel, final: readonly string[], path: MemberPath): void {
    const states = memberSchemas(model, method.result, path).flatMap((schema) => schema.enum ?? []);
    const known = states.filter((state) => typeof state === "string");
    for (const [index, state] of final.entries())
      if (known.length > 0 && !known.includes(state))
        faults.report(
          pointerBelow(method.pointer, "x-poll", "final", index),
          `"${state}" is not a state that the result lists${suggestion(state, known)}`,
        );
  }

  function checkReadOnly(method: MethodModel): void {
    const pointer = pointerBelow(method.pointer, "x-read-only");
    if (method.readOnly && method.cancels !== undefined)
      faults.report(pointer, "a method with x-cancels is not read-only; remove x-read-only");
    if (!method.readOnly && (method.poll !== undefined || method.page !== undefined))
      faults.report(
        pointer,
        `a method with ${method.poll === undefined ? "x-page" : "x-poll"} is called repeatedly, so it must be read-only; add "x-read-only": true`,
      );
  }
}

/** Returns the possible schemas of a member. */
function memberSchemas(model: Model, schemaName: string, path: MemberPath): readonly SchemaNode[] {
  return path.reduce<readonly SchemaNode[]>(
    (schemas, name) =>
      schemas
        .flatMap((schema) => schema.properties.filter((property) => property.name === name))
        .flatMap((property) => alternatives(model, property.schema)),
    alternatives(model, schemaNamed(model, schemaName)),
  );
}

/** Returns the schema, or the schemas of its `anyOf`. */
function alternatives(model: Model, node: SchemaNode): readonly SchemaNode[] {
  const schema = resolved(model, node);
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap((member) => alternatives(model, member));
}
