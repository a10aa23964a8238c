import type { SourceConfiguration } from "@quern/adapter";

/** Source that `quern sources` has loaded or connected, or a file that the operator has added. */
export type FoundSource = Omit<SourceConfiguration, "name" | "provider">;

const provider = "quern";

/**
 * Returns the configurations of sources, in the order of their names. The source `samples` is the default if it exists,
 * or else the first one. Without any source, statements run on the source `none`, which has no data.
 */
export function toConfigurations(found: ReadonlyMap<string, FoundSource>): SourceConfiguration[] {
  if (found.size === 0) return [{ name: "none", provider }];
  return [...found.keys()]
    .sort()
    .map((name) => ({ name, provider, ...found.get(name), isDefault: name === "samples" }));
}
