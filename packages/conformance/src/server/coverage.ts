import type { Contract } from "./document.ts";
import type { Exchange } from "./exchange.ts";
import { isObject } from "./json.ts";
import { repliesIn } from "./response-body.ts";

/** Items of one kind in the OpenRPC document, divided into those that a server has shown and the others. */
export interface Tally {
  readonly seen: readonly string[];
  readonly missing: readonly string[];
}

/** Part of the contract that a server has shown, such as the code `getQueryRun -32099` or the member `QueryRun.endedAt`. */
export interface CoverageReport {
  readonly methods: Tally;
  readonly codes: Tally;
  readonly states: Tally;
  /** Members of results that were present and not null. */
  readonly members: Tally;
}

export interface Coverage {
  observe(exchange: Exchange): void;
  report(): CoverageReport;
}

/** Records coverage from all answers of a server. */
export function createCoverage(contract: Contract): Coverage {
  const methods = createTally();
  const codes = createTally();
  const states = createTally();
  const members = createTally();

  for (const { name, errors, result, poll } of contract.methods.values()) {
    methods.add(name);
    for (const code of errors.keys()) codes.add(`${name} ${code}`);
    for (const member of membersOf(result, contract, name)) members.add(member);
    if (poll) for (const state of statesOf(contract, poll.final)) states.add(state);
  }

  /** Records the members and states of a value, by its schema. `path` names a schema without a name of its own. */
  function visit(schema: unknown, value: unknown, path: string): void {
    const name = nameOf(schema) ?? path;
    const { properties, items, anyOf } = contract.resolve(schema);
    if (typeof value === "string") states.see(value);
    if (Array.isArray(anyOf)) for (const one of anyOf) visit(one, value, name);
    if (Array.isArray(value)) for (const item of value.slice(0, maxItems)) visit(items, item, name);
    if (!isObject(value) || !isObject(properties)) return;
    for (const [member, inner] of Object.entries(properties)) {
      if (value[member] === null || value[member] === undefined) continue;
      members.see(`${name}.${member}`);
      visit(inner, value[member], `${name}.${member}`);
    }
  }

  return {
    observe({ sent, answer }) {
      const methodOf = new Map(sent.map(({ idText, method }) => [idText, method]));
      for (const { idText, value } of repliesIn(answer)) {
        const method = methodOf.get(idText);
        if (idText === undefined || method === undefined) continue;
        methods.see(method);
        if (isObject(value.error)) codes.see(`${method} ${value.error.code}`);
        visit(contract.methods.get(method)?.result, value.result, method);
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

/** Number of list items that are visited. Further ones rarely have other members. */
const maxItems = 20;

function createTally() {
  const named = new Set<string>();
  const seen = new Set<string>();
  return {
    add: (one: string) => named.add(one),
    see: (one: string) => seen.add(one),
    report: (): Tally => ({
      seen: [...named].filter((one) => seen.has(one)),
      missing: [...named].filter((one) => !seen.has(one)),
    }),
  };
}

/** Returns the name of the component that a schema refers to. */
function nameOf(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
}

/** Returns the members that a schema names, each with its component. */
function membersOf(schema: unknown, contract: Contract, path = "", within: readonly unknown[] = []): readonly string[] {
  const name = nameOf(schema) ?? path;
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

/** Returns the states of runs: the `enum` of the OpenRPC document with all final states, or else the final states. */
function statesOf({ document }: Contract, final: readonly unknown[]): readonly string[] {
  const found: string[][] = [];
  JSON.stringify(document, (key, value) => {
    if (key === "enum" && Array.isArray(value) && final.every((state) => value.includes(state))) found.push(value);
    return value;
  });
  return found[0] ?? final.map(String);
}
