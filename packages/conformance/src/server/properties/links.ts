import fc from "fast-check";
import { StepFailure } from "../check.ts";
import type { DocumentLink, DocumentMethod } from "../document.ts";
import { isObject, shortJson, valueAt } from "../json.ts";
import type { Variables } from "../placeholders.ts";
import type { Property } from "./property.ts";

/**
 * Indexes of the earlier result to continue from, modulo the number of results, and of the link to follow from it,
 * modulo the number of its links plus one. The index after the last link makes the first call again.
 */
interface Step {
  readonly from: number;
  readonly link: number;
}

/** Generates indexes, used modulo the number of items. They are not shrunk, because that would take hundreds of calls. */
const choice = fc.noShrink(fc.nat());

/** Each link of the OpenRPC document leads to an object that the server knows, and no run changes after its end. */
export const links: Property<readonly Step[]> = {
  id: "fuzz/links",
  level: "MUST",
  profile: "openrpc",
  rule: "The target of each link of the document exists, in any order of calls, and no run changes after its end.",
  source: "OpenRPC links",
  values: () => fc.array(fc.record({ from: choice, link: choice }), { minLength: 1, maxLength: 12 }),
  async holds(steps, { session, connection, known }) {
    const methods = [...session.contract.methods.values()];
    const targets = new Set(methods.flatMap((method) => method.links.map((link) => link.method)));
    const first = methods.find(({ name, links }) => links.length > 0 && !targets.has(name));
    if (first === undefined) return;
    const results: { readonly method: DocumentMethod; readonly result: unknown }[] = [];

    async function call(method: DocumentMethod, params: unknown, origin: string): Promise<void> {
      const { result, error } = await connection.call(method.name, params);
      const name = method.errors.get(error?.code ?? 0)?.name ?? "";
      if (error !== undefined && (name === "" || /NotFound$|InvalidParams/.test(name)))
        throw new StepFailure([
          `${origin} to ${method.name}: expected a result, got the error ${error.code} ${shortJson(error.data)}`,
        ]);
      if (error === undefined) results.push({ method, result });
    }

    for (const { from, link } of steps) {
      const start = results[from % results.length];
      const chosen = start?.method.links[link % (start.method.links.length + 1)];
      const next = session.contract.methods.get(chosen?.method ?? "");
      if (start === undefined || chosen === undefined || next === undefined)
        await call(first, requiredOf(first, known), "the first call");
      else await call(next, linkedParams(chosen, start.result), `the link ${chosen.name} of ${start.method.name}`);
    }
  },
  show: (steps) => `${steps.length} calls: ${JSON.stringify(steps)}`,
};

/** Returns the required params of a method, with known values or those of its first example. */
function requiredOf({ params, examples }: DocumentMethod, known: Variables): unknown {
  if (params === undefined) return undefined;
  const names: readonly string[] = Array.isArray(params.required) ? params.required : [];
  return Object.fromEntries(names.map((name) => [name, known[name] ?? valueAt(examples[0]?.params, `/${name}`)]));
}

/** Replaces the runtime expressions in the params of a link by the values of a result. */
function linkedParams({ params }: Pick<DocumentLink, "params">, result: unknown): unknown {
  if (typeof params === "string") {
    const path = /^\$\{result\.([\w.]+)\}$/.exec(params)?.[1];
    return path === undefined ? params : valueAt(result, `/${path.replaceAll(".", "/")}`);
  }
  if (!isObject(params)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, inner]) => [name, linkedParams({ params: inner }, result)]),
  );
}
