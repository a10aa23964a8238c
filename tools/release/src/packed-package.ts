import { readFileSync } from "node:fs";
import { createPackageFromTarballData, type Package } from "@arethetypeswrong/core";
import type { Manifest } from "../../repo-rules/src/tree.ts";

/** Package in the form in which it is published. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** Folder of the package in the repository. */
  readonly folder: string;
  readonly tarball: string;
  readonly manifest: Manifest;
  /** Paths in the package. */
  readonly files: readonly string[];
  text(file: string): string;
  /** The same for `@arethetypeswrong/core`. */
  readonly archive: Package;
}

export function readPackage(tarball: string): PackedPackage {
  const archive = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)));
  const { packageName: name, packageVersion: version } = archive;
  const prefix = `/node_modules/${name}/`;
  const text = (file: string) => archive.readFile(prefix + file);
  const manifest: Manifest = JSON.parse(text("package.json"));
  const files = archive.listFiles().map((path) => path.slice(prefix.length));
  const folder = manifest.repository?.directory ?? "";
  return { name, version, folder, tarball, manifest, files, text, archive };
}
