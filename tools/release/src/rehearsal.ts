import type { PackedPackage } from "./packed-package.ts";
import type { Registry } from "./registry.ts";

/** State of a rehearsal, which its steps fill in their order. */
export interface Rehearsal {
  /** Folder with all that the rehearsal writes. */
  readonly folder: string;
  readonly registry: Registry;
  /** Clone of the repository, with the versions of the release. */
  copy: string;
  version: string;
  packages: readonly PackedPackage[];
  /** Folder of the project in which a package is installed with npm, by the name of the package. */
  readonly projects: Map<string, string>;
}
