import type { SchemaNode } from "../../model.ts";

/** Params just inside or just outside the bounds of a schema. */
export interface Edge {
  /** Path of members to the edge, from the outside in. */
  readonly place: readonly string[];
  readonly label: string;
  readonly rule: string;
  readonly source: string;
  readonly params: unknown;
  readonly isValid: boolean;
  /** Pointer into the params to the fault. Undefined if several pointers are correct. */
  readonly fault?: string;
}

/** Value in the params, and a function that returns the params with another value in its place. */
export interface Site {
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly place: readonly string[];
  readonly pointer: string;
  readonly put: (value: unknown) => unknown;
  /**
   * Pointers of the schema of the value and of the schemas around it. A schema that is met again inside is recursive.
   */
  readonly enclosing: readonly string[];
}

/** Returns the name of the value for the text of a rule. */
export function described(site: Site): string {
  return site.place.length === 0 ? "The parameter" : `\`${site.place.join(".")}\``;
}

/** Creates an edge with a valid value. */
export function valid(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return { place: site.place, label, rule, source, params: site.put(value), isValid: true };
}

/** Creates an edge with an invalid value. */
export function invalid(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return fault(site, label, rule, source, value, "");
}

/** Creates an edge whose value is invalid at the pointer `below`. */
export function fault(site: Site, label: string, rule: string, source: string, value: unknown, below: string): Edge {
  const pointer = site.pointer + below;
  // The corpus cannot expect a pointer that looks like one of its placeholders.
  return { ...anywhere(site, label, rule, source, value), ...(!pointer.includes("${") && { fault: pointer }) };
}

/** Creates an edge with an invalid value that servers may report at different pointers. */
export function anywhere(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return { place: site.place, label, rule, source, params: site.put(value), isValid: false };
}
