import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { limitsName } from "./output-file.ts";

/** Limit that an operator can set on the service. */
export interface ServiceLimit {
  readonly name: string;
  /** Meaning of the limit, and the consequence of exceeding it. */
  readonly text: string;
  /** Unit of the value, such as `rows`. */
  readonly unit: string;
  /** Missing if the default is not a number; `defaultText` describes it. */
  readonly default?: number;
  readonly defaultText?: string;
  /** JSON Schema of the value. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly pointer: string;
}

/**
 * Absolute path of the table of limits. It is always the one of this repository, even if the rest is generated from
 * another document.
 */
export const limitsFile = fileURLToPath(new URL(`../../../${limitsName}`, import.meta.url));

export function readServiceLimits(): readonly ServiceLimit[] {
  const { limits } = JSON.parse(readFileSync(limitsFile, "utf8")) as {
    readonly limits: Readonly<Record<string, Omit<ServiceLimit, "name" | "pointer">>>;
  };
  return Object.entries(limits).map(([name, limit]) => ({ name, ...limit, pointer: `/limits/${name}` }));
}

/** Returns the default in words, without its unit. */
export function defaultWords({ default: value, defaultText }: ServiceLimit): string {
  return defaultText ?? `${value?.toLocaleString("en")}`;
}
