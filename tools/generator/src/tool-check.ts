import { type Faults, suggestion } from "./faults.ts";
import type { MemberPath, MethodModel, Model, SchemaNode, ToolModel, ToolParam } from "./model.ts";
import { pointerBelow } from "./pointer.ts";
import { resolved, schemaNamed } from "./schema-lookup.ts";
import { memberSchema, outputSchema } from "./tool-schema.ts";

/**
 * Reports tools with a name that another one has, and members that the document does not have, contradicts, or needs for
 * the composition.
 */
export function checkTools(model: Model, faults: Faults): void {
  const names = new Map<string, string>();
  for (const method of model.methods) {
    const { tool } = method;
    if (tool === undefined || faults.has(tool.pointer)) continue;
    const other = names.get(tool.name);
    const at = (member: string) => pointerBelow(tool.pointer, member);
    if (other !== undefined)
      faults.report(at("name"), `the tool ${tool.name} is also a tool of ${other}; rename one of them`);
    names.set(tool.name, method.name);
    if (tool.hints.readOnly && method.cancels !== undefined)
      faults.report(
        pointerBelow(tool.pointer, "hints", "readOnly"),
        "a method with x-cancels is not read-only; write false",
      );
    for (const param of tool.params) checkParam(param, method, tool);
    checkCallable(method, tool);
    checkResult(method, tool);
  }

  function checkParam(param: ToolParam, method: MethodModel, { result }: ToolModel): void {
    const owner = param.method === undefined ? method : model.methods.find(({ name }) => name === param.method);
    const composed = result === "rows" ? model.methods.filter(({ poll, page }) => poll ?? page) : [];
    if (owner === undefined || (owner !== method && !composed.includes(owner))) {
      const known = [method, ...composed].map(({ name }) => name);
      faults.report(
        pointerBelow(param.pointer, "method"),
        `the tool does not call ${param.method}${suggestion(param.method ?? "", known)}`,
      );
      return;
    }
    const schema = memberOf(owner.params, param.member, pointerBelow(param.pointer, "member"));
    if (schema === undefined) return;
    const { minimum, maximum } = schema.limits;
    if (typeof maximum === "number" && (param.maximum ?? maximum) > maximum)
      faults.report(pointerBelow(param.pointer, "maximum"), `must be at most ${maximum}, the maximum of the member`);
    if (typeof minimum === "number" && (param.minimum ?? minimum) < minimum)
      faults.report(pointerBelow(param.pointer, "minimum"), `must be at least ${minimum}, the minimum of the member`);
    const value = param.default?.value;
    const highest = param.maximum ?? maximum;
    const lowest = param.minimum ?? minimum;
    if (
      typeof value === "number" &&
      ((typeof highest === "number" && value > highest) || (typeof lowest === "number" && value < lowest))
    )
      faults.report(pointerBelow(param.pointer, "default"), `${value} is outside of the bounds of the argument`);
  }

  /** A tool must set all required params of its method. */
  function checkCallable(method: MethodModel, { params, fixed, pointer, size }: ToolModel): void {
    const { properties } = resolved(model, schemaNamed(model, method.params));
    const set = new Set([
      ...Object.keys(fixed),
      ...params.filter((param) => (param.method ?? method.name) === method.name).map(({ member }) => member[0]),
    ]);
    for (const { name, required } of properties)
      if (required && !set.has(name))
        faults.report(
          pointerBelow(pointer, "params"),
          `no argument sets the required member ${name}; add one, or write its value in fixed`,
        );
    for (const name of Object.keys(fixed)) memberOf(method.params, [name], pointerBelow(pointer, "fixed", name));
    if (size === undefined) return;
    const schema = memberOf(method.params, size, pointerBelow(pointer, "size"));
    if (schema !== undefined && !schema.types.includes("integer"))
      faults.report(pointerBelow(pointer, "size"), "must be a member with the type integer");
  }

  function checkResult(method: MethodModel, tool: ToolModel): void {
    const { result, omit, link, pointer } = tool;
    if (result === "rows") {
      const linked = method.links.map((each) => model.methods.find(({ name }) => name === each.method));
      const isComposed =
        model.methods.some(({ poll }) => poll) &&
        (method.page !== undefined || (linked.some((each) => each?.poll) && linked.some((each) => each?.page)));
      if (!isComposed)
        faults.report(
          pointerBelow(pointer, "result"),
          "rows need a method with x-page, or links to methods with x-poll and x-page",
        );
      return;
    }
    for (const [name, path] of Object.entries(result))
      memberOf(method.result, path, pointerBelow(pointer, "result", name));
    if (link !== undefined && !Object.hasOwn(result, link))
      faults.report(
        pointerBelow(pointer, "link"),
        `the output has no member ${link}${suggestion(link, Object.keys(result))}`,
      );
    if (faults.has(pointerBelow(pointer, "result"))) return;
    for (const [index, path] of omit.entries())
      if (memberSchema(model, outputSchema(model, method, { ...tool, omit: [] }), path) === undefined)
        faults.report(pointerBelow(pointer, "omit", index), `the output has no member /${path.join("/")}`);
  }

  function memberOf(schemaName: string, path: MemberPath, pointer: string): SchemaNode | undefined {
    const found = memberSchema(model, schemaNamed(model, schemaName), path);
    if (found === undefined) {
      const { properties } = resolved(model, schemaNamed(model, schemaName));
      const known = properties.map(({ name }) => name);
      faults.report(
        pointer,
        `${schemaName} has no member /${path.join("/")}${path.length === 1 ? suggestion(path[0] ?? "", known) : ""}`,
      );
    }
    return found;
  }
}
