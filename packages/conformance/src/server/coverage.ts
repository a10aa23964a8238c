import type { Contract } from "./document.ts";
import type { Exchange } from "./exchange.ts";
import { isObject } from "./json.ts";
import { repliesIn } from "./response-body.ts";

/** Items of one kind in the document, and those that a server has shown. */
export interface Tally {
  readonly seen: readonly string[];
  readonly missing: readonly string[];
}

/** Share of its contract that a server has shown, e.g. the code `getQueryRun -32099` or the member `QueryRun.endedAt`. */
export interface CoverageReport {
  readonly methods: Tally;
  readonly codes: Tally;
  readonly states: Tally;
  /** Members of results that were there and not null. */
  readonly members: Tally;
}

export interface Coverage {
  observe(exchange: Exchange): void;
  report(): CoverageReport;
}

/** Watches all that a server answers. */
export function createCoverage(contract: Contract): Coverage {
  const methods = createTally();
  const codes = createTally();
  const states = createTally();
  const members = createTally();

  for (const { name, errors, result, poll } of contract.methods.values()) {
    methods.name(name);
    for (const code of errors.keys()) codes.name(`${name} ${code}`);
    for (const member of membersOf(result, contract, name)) members.name(member);
    if (poll) for (const state of statesOf(contract, poll.final)) states.name(state);
  }

  /** Looks at a value beside the schema that it must be of. */
  function look(schema: unknown, value: unknown, place: string): void {
    const name = nameOf(schema) ?? place;
    const { properties, items, anyOf } = contract.resolve(schema);
    if (typeof value === "string") states.see(value);
    if (Array.isArray(anyOf)) for (const one of anyOf) look(one, value, name);
    if (Array.isArray(value)) for (const item of value.slice(0, itemsLookedAt)) look(items, item, name);
    if (!isObject(value) || !isObject(properties)) return;
    for (const [member, inner] of Object.entries(properties)) {
      if (value[member] === null || value[member] === undefined) continue;
      members.see(`${name}.${member}`);
      look(inner, value[member], `${name}.${member}`);
    }
  }

  return {
    observe({ sent, answer }) {
      const asked = new Map(sent.map(({ idText, method }) => [idText, method]));
      for (const { idText, value } of repliesIn(answer)) {
        const method = asked.get(idText);
        if (idText === undefined || method === undefined) continue;
        methods.see(method);
        if (isObject(value.error)) codes.see(`${method} ${value.error.code}`);
        look(contract.methods.get(method)?.result, value.result, method);
      }
    },
    report: () => ({
      methods: methods.report(),
      codes: codes.report(),
      states: states.report(),
      members: members.report(),
    }),
  };
}

/** Items that are read of a list; further ones seldom have other members. */
const itemsLookedAt = 20;

function createTally() {
  const named = new Set<string>();
  const seen = new Set<string>();
  return {
    name: (one: string) => named.add(one),
    see: (one: string) => seen.add(one),
    report: (): Tally => ({
      seen: [...named].filter((one) => seen.has(one)),
      missing: [...named].filter((one) => !seen.has(one)),
    }),
  };
}

/** The name of the component that a schema refers to. */
function nameOf(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
}

/** The members that a schema names, each with its component. */
function membersOf(
  schema: unknown,
  contract: Contract,
  place = "",
  within: readonly unknown[] = [],
): readonly string[] {
  const name = nameOf(schema) ?? place;
  const resolved = contract.resolve(schema);
  if (within.includes(resolved)) return [];
  const { properties, items, anyOf } = resolved;
  const below = (inner: unknown, at: string) => membersOf(inner, contract, at, [...within, resolved]);
  return [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([member, inner]) => [
      `${name}.${member}`,
      ...below(inner, `${name}.${member}`),
    ]),
    ...(items === undefined ? [] : below(items, name)),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((inner) => below(inner, name)) : []),
  ];
}

/** The list of states: the one `enum` of the document that has all the final ones. */
function statesOf({ document }: Contract, final: readonly unknown[]): readonly string[] {
  const found: string[][] = [];
  JSON.stringify(document, (key, value) => {
    if (key === "enum" && Array.isArray(value) && final.every((state) => value.includes(state))) found.push(value);
    return value;
  });
  return found[0] ?? final.map(String);
}
