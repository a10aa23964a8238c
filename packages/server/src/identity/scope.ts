/** What a key may do: make runs, read them and their results, cancel them, and all that for the whole tenant. */
export const scopes = ["run", "read", "cancel", "tenant:admin"] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: unknown): text is Scope {
  return scopes.some((scope) => scope === text);
}
