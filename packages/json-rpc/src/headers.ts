import type { RequestHeaders } from "./handler.ts";

/** What `Headers` would take as it is. */
const plainName = /^[\w-]+$/;
const plainValue = /^[!-~]+(?: [!-~]+)*$/;

/** Headers as a caller of `fetch` says them. Those of a plain object are read from it, which is five times as fast as `Headers`. */
export function headersOf(init: NonNullable<RequestInit["headers"]>): RequestHeaders {
  if (init instanceof Headers) return init;
  if (Symbol.iterator in init) return new Headers(init);
  const byName = new Map<string, string>();
  for (const [name, value] of Object.entries(init)) {
    const key = name.toLowerCase();
    const isPlain = typeof value === "string" && plainName.test(key) && plainValue.test(value);
    if (!isPlain || byName.has(key)) return new Headers(init);
    byName.set(key, value);
  }
  return { get: (name) => byName.get(name.toLowerCase()) ?? null };
}
