import fc from "fast-check";
import { StepFailure } from "../check.ts";
import type { DocumentLink, DocumentMethod } from "../document.ts";
import { isObject, shortJson, valueAt } from "../json.ts";
import type { Variables } from "../placeholders.ts";
import type { Property } from "./property.ts";

/** Which earlier result a step goes on from, and by which of its links; a beginning is one more link. */
interface Step {
  readonly from: number;
  readonly link: number;
}

/** Indexes into the links, modulo their number. A failing sequence is shortened and keeps its numbers: finding smaller ones takes hundreds of calls. */
const choice = fc.noShrink(fc.nat());

/** Checks that each link of the document leads to an answer, and that a run never returns to an earlier state. */
export const links: Property<readonly Step[]> = {
  id: "fuzz/links",
  level: "MUST",
  profile: "openrpc",
  rule: "What a link of the document leads to is there, in any order of calls, and no run goes back",
  source: "OpenRPC links",
  values: () => fc.array(fc.record({ from: choice, link: choice }), { minLength: 1, maxLength: 12 }),
  async holds(steps, { session, connection, known }) {
    const methods = [...session.contract.methods.values()];
    const targets = new Set(methods.flatMap((method) => method.links.map((link) => link.method)));
    const beginning = methods.find(({ name, links }) => links.length > 0 && !targets.has(name));
    if (beginning === undefined) return;
    const results: { readonly method: DocumentMethod; readonly result: unknown }[] = [];

    async function go(method: DocumentMethod, params: unknown, by: string): Promise<void> {
      const { result, error } = await connection.call(method.name, params);
      const name = method.errors.get(error?.code ?? 0)?.name ?? "";
      if (error !== undefined && (name === "" || /NotFound$|InvalidParams/.test(name)))
        throw new StepFailure([`${by} to ${method.name} ends in ${error.code} ${shortJson(error.data)}`]);
      if (error === undefined) results.push({ method, result });
    }

    for (const { from, link } of steps) {
      const start = results[from % results.length];
      const chosen = start?.method.links[link % (start.method.links.length + 1)];
      const next = session.contract.methods.get(chosen?.method ?? "");
      if (start === undefined || chosen === undefined || next === undefined)
        await go(beginning, requiredOf(beginning, known), "a beginning");
      else await go(next, linkedParams(chosen, start.result), `the link ${chosen.name} of ${start.method.name}`);
    }
  },
  show: (steps) => `${steps.length} calls: ${JSON.stringify(steps)}`,
};

/** The least that a method can be called with, of what is known. */
function requiredOf({ params, examples }: DocumentMethod, known: Variables): unknown {
  if (params === undefined) return undefined;
  const names: readonly string[] = Array.isArray(params.required) ? params.required : [];
  return Object.fromEntries(names.map((name) => [name, known[name] ?? valueAt(examples[0]?.params, `/${name}`)]));
}

/** The params of a link, its runtime expressions replaced by what a result has there. */
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
