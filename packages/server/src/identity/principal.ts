import type { Scope } from "@quern/adapter";

/** Who somebody is, by what they called with. */
export interface KnownCaller {
  readonly tenantId: string;
  readonly userId: string;
  /** What it called with, an API key or a token's subject: rates and idempotency keys are counted by it. */
  readonly apiKeyId: string;
}

/** Who calls: every call has one, and it decides which runs exist for it and what it may do. */
export interface Principal extends KnownCaller {
  readonly scopes: ReadonlySet<Scope>;
  /** The data sources it may query; null is all. */
  readonly sources: readonly string[] | null;
}

/** Whether runs of the tenant's other users exist for it. */
export function seesTenant({ scopes }: Principal): boolean {
  return scopes.has("tenant:admin");
}

/** The user whose requests exist for it; undefined where all of the tenant's do. */
export function userFilterOf(principal: Principal): string | undefined {
  return seesTenant(principal) ? undefined : principal.userId;
}

export function mayQuery({ sources }: Pick<Principal, "sources">, name: string): boolean {
  return sources === null || sources.includes(name);
}
