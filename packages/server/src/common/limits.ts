import { nearestWord } from "@quern/protocol/nearest-word";
import { validator } from "@quern/protocol/validator";
import { limitTable, type ServerLimits } from "../generated/limits.ts";

const entries = Object.entries(limitTable);

type LimitTable = typeof limitTable;

/** Defaults of the limits whose default is a number. */
export type LimitDefaults = {
  readonly [Name in keyof LimitTable as LimitTable[Name] extends { readonly default: number } ? Name : never]: number;
};

export const limitDefaults = Object.fromEntries(
  entries.flatMap(([name, limit]) => ("default" in limit ? [[name, limit.default]] : [])),
) as LimitDefaults;

/** Effective limits: the configured ones, and the defaults of the others. */
export type LimitsInForce = ServerLimits & LimitDefaults;

/** Adds the defaults to configured limits. @throws if a limit is unknown or invalid */
export function limitsInForce(limits: ServerLimits): LimitsInForce {
  const fault = limitFault(limits);
  if (fault !== undefined) throw new Error(`${fault}.`);
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...limitDefaults, ...Object.fromEntries(set) };
}

const validators = new Map(entries.map(([name, { schema }]) => [name, validator(schema)]));

/** Describes the first limit with an invalid value or an unknown name; undefined if all are valid. */
export function limitFault(limits: object): string | undefined {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    const schema = validators.get(name);
    if (schema === undefined) return unknownLimit(name);
    const { issues = [] } = { issues: undefined, ...schema["~standard"].validate(value) };
    const [issue] = issues;
    if (issue !== undefined) return `Invalid limit ${name}: expected ${issue.expected}, received ${issue.received}`;
  }
  return undefined;
}

function unknownLimit(name: string): string {
  const names = [...validators.keys()];
  const nearest = nearestWord(name, names);
  return nearest === undefined
    ? `Unknown limit ${name}; use one of ${names.join(", ")}`
    : `Unknown limit ${name}; did you mean ${nearest}?`;
}
