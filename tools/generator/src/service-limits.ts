import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { limitsName } from "./output-file.ts";

/** A limit that an operator sets on the service. */
export interface ServiceLimit {
  readonly name: string;
  /** Sentences on what it limits and what happens beyond it. */
  readonly text: string;
  /** Word for what it counts, such as `rows`. */
  readonly unit: string;
  /** Missing where the default is no number; `defaultText` says what it is. */
  readonly default?: number;
  readonly defaultText?: string;
  /** JSON Schema of its value. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly pointer: string;
}

/** The limits of this repository's service, whatever document the rest is generated from. */
export const limitsFile = fileURLToPath(new URL(`../../../${limitsName}`, import.meta.url));

export function readServiceLimits(): readonly ServiceLimit[] {
  const { limits } = JSON.parse(readFileSync(limitsFile, "utf8")) as {
    readonly limits: Readonly<Record<string, Omit<ServiceLimit, "name" | "pointer">>>;
  };
  return Object.entries(limits).map(([name, limit]) => ({ name, ...limit, pointer: `/limits/${name}` }));
}

/** The default in words, without its unit. */
export function defaultWords({ default: value, defaultText }: ServiceLimit): string {
  return defaultText ?? `${value?.toLocaleString("en")}`;
}
