import type { SchemaNode } from "../../model.ts";

/** Parameters that are just inside or just outside of what a schema allows. */
export interface Edge {
  /** The members that lead to the edge, from the outside in. */
  readonly place: readonly string[];
  readonly label: string;
  readonly rule: string;
  readonly source: string;
  readonly params: unknown;
  readonly isValid: boolean;
  /** Pointer into the params to what is wrong; undefined where several places may be named. */
  readonly fault?: string;
}

/** One value of the params, and how a changed one is put back into them. */
export interface Site {
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly place: readonly string[];
  readonly pointer: string;
  readonly put: (value: unknown) => unknown;
  /** The schemas around it, so that recursion ends. */
  readonly enclosing: readonly string[];
}

/** How a rule speaks of the place. */
export function described(site: Site): string {
  return site.place.length === 0 ? "The parameter" : `\`${site.place.join(".")}\``;
}

/** A value that is just right. */
export function valid(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return { place: site.place, label, rule, source, params: site.put(value), isValid: true };
}

/** A value that is just wrong. */
export function invalid(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return fault(site, label, rule, source, value, "");
}

/** A value with something wrong below it, at the pointer `below`. */
export function fault(site: Site, label: string, rule: string, source: string, value: unknown, below: string): Edge {
  const pointer = site.pointer + below;
  // The corpus cannot expect a text that looks like one of its placeholders.
  return { ...anywhere(site, label, rule, source, value), ...(!pointer.includes("${") && { fault: pointer }) };
}

/** A value that is wrong in a place servers may name differently. */
export function anywhere(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return { place: site.place, label, rule, source, params: site.put(value), isValid: false };
}
