import type { Level } from "../rules.ts";

/** A version without a suffix: major, minor and patch. */
export type Version = readonly [major: number, minor: number, patch: number];

/** Returns undefined for a text that is no version, and for a version with a suffix. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Returns a number above 0 if the first version is later. */
export function compareVersions(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/**
 * Returns the smallest version that may have a change. Below 1.0.0 the levels shift by one, as package managers read
 * versions there: a major change needs another minor version, and a minor change another patch version.
 */
export function smallestNext([major, minor, patch]: Version, level: Level): Version {
  const size = major > 0 ? level : level === "major" ? "minor" : "patch";
  if (size === "major") return [major + 1, 0, 0];
  return size === "minor" ? [major, minor + 1, 0] : [major, minor, patch + 1];
}
