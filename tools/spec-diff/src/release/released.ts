import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareVersions, parseVersion } from "./version.ts";

/** Root of the checkout. */
export const checkout = join(import.meta.dirname, "../../../..");

const specFile = (root: string) => join(root, "spec/openrpc.json");
const releasedFolder = (root: string) => join(root, "spec/released");
export const releasedFile = (version: string) => `spec/released/${version}.json`;

export function readSpec(root: string): unknown {
  return JSON.parse(readFileSync(specFile(root), "utf8"));
}

export function readReleased(root: string, version: string): unknown {
  return JSON.parse(readFileSync(join(root, releasedFile(version)), "utf8"));
}

/** Returns the version of the packages, which is that of `@quern/spec`. */
export function packageVersion(root: string): string {
  const { version }: { version?: unknown } = JSON.parse(readFileSync(join(root, "spec/package.json"), "utf8"));
  return String(version);
}

/** Returns the versions with a released document, the oldest first. */
export function releasedVersions(root: string): readonly string[] {
  if (!existsSync(releasedFolder(root))) return [];
  const versions = readdirSync(releasedFolder(root)).map((name) => name.replace(/\.json$/, ""));
  return versions
    .map((text) => {
      const version = parseVersion(text);
      if (version === undefined)
        throw new Error(`Invalid name of a released document: ${releasedFile(text)}; use 1.2.3.json`);
      return { text, version };
    })
    .sort((one, other) => compareVersions(one.version, other.version))
    .map(({ text }) => text);
}

/**
 * Writes the present document as that of a version, which it is compared with from then on. Returns the path of the file.
 * @throws if the version is invalid, or has another document
 */
export function writeReleased(version: string, root = checkout): string {
  if (parseVersion(version) === undefined) throw new Error(`Invalid version: ${version}; use 1.2.3`);
  const file = join(root, releasedFile(version));
  const text = readFileSync(specFile(root), "utf8");
  if (existsSync(file) && readFileSync(file, "utf8") !== text)
    throw new Error(
      `${releasedFile(version)} has another document: a released one never changes; release the next version`,
    );
  mkdirSync(releasedFolder(root), { recursive: true });
  writeFileSync(file, text);
  return file;
}
