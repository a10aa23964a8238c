import type { Scope, Source } from "@quern/adapter";

export const scopes = ["run", "read", "cancel", "tenant:admin"] as const satisfies readonly Scope[];

export function isScope(text: unknown): text is Scope {
  return scopes.some((scope) => scope === text);
}

/** Identity of a caller, taken from its credential. */
export interface KnownCaller {
  readonly tenantId: string;
  readonly userId: string;
  /** Id of the API key, or of the subject of a token. Each id has its own rate limit and its own idempotency keys. */
  readonly apiKeyId: string;
}

/**
 * Authenticated caller. Every call has one; it determines the runs that the call can see and the methods it may call.
 */
export interface Principal extends KnownCaller {
  readonly scopes: ReadonlySet<Scope>;
  /** Data sources that the caller may query; null is all. */
  readonly sources: readonly string[] | null;
}

/** Returns true for a caller who sees the runs of all users of the tenant. */
export function seesTenant({ scopes }: Principal): boolean {
  return scopes.has("tenant:admin");
}

/** Returns the user whose requests the caller sees; undefined for a caller who sees all of the tenant. */
export function userFilterOf(principal: Principal): string | undefined {
  return seesTenant(principal) ? undefined : principal.userId;
}

export function mayQuery({ sources }: Pick<Principal, "sources">, name: string): boolean {
  return sources === null || sources.includes(name);
}

/** Returns true if a source is one that the caller may query, and is not of another tenant. */
export function mayUse(principal: Principal, { name, tenant }: Pick<Source, "name" | "tenant">): boolean {
  return mayQuery(principal, name) && (tenant === undefined || tenant === principal.tenantId);
}
