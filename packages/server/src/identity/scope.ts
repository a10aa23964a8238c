import type { Scope } from "@quern/adapter";

export const scopes = ["run", "read", "cancel", "tenant:admin"] as const satisfies readonly Scope[];

export function isScope(text: unknown): text is Scope {
  return scopes.some((scope) => scope === text);
}
