import { type SchemaTable, validator } from "@quern/protocol/validator";
import { limitTable, type ServerLimits } from "../generated/limits.ts";

const entries = Object.entries(limitTable);

/** Schemas of the limits, by name. */
export const limitSchemas: Readonly<Record<string, SchemaTable>> = Object.fromEntries(
  entries.map(([name, { schema }]) => [name, schema]),
);

type LimitTable = typeof limitTable;

/** Defaults of the limits that have a number as default. */
export type LimitDefaults = {
  readonly [Name in keyof LimitTable as LimitTable[Name] extends { readonly default: number } ? Name : never]: number;
};

export const limitDefaults = Object.fromEntries(
  entries.flatMap(([name, limit]) => ("default" in limit ? [[name, limit.default]] : [])),
) as LimitDefaults;

/** The limits that hold: those that are set, and the defaults of the others. */
export type LimitsInForce = ServerLimits & LimitDefaults;

/** @throws on a limit that is unknown or out of its bounds */
export function limitsInForce(limits: ServerLimits): LimitsInForce {
  const fault = limitFault(limits);
  if (fault !== undefined) throw new Error(`Invalid limit: ${fault}.`);
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...limitDefaults, ...Object.fromEntries(set) };
}

const validators = new Map(Object.entries(limitSchemas).map(([name, schema]) => [name, validator(schema)]));

/** The first limit with an invalid value or an unknown name, in words; undefined where all are valid. */
export function limitFault(limits: object): string | undefined {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    const schema = validators.get(name);
    if (schema === undefined) return `there is no limit ${name}`;
    const { issues = [] } = { issues: undefined, ...schema["~standard"].validate(value) };
    const [issue] = issues;
    if (issue !== undefined) return `${name}: expected ${issue.expected}, received ${issue.received}`;
  }
  return undefined;
}
