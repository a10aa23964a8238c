import { posix } from "node:path";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";

interface SourceMap {
  readonly sources: readonly string[];
  /** Text of each source file, also of packages that are bundled. */
  readonly sourcesContent?: readonly (string | null)[];
}

/** Checks that the source maps hold their sources or lead to sources in the package. */
export function sourceMapFaults({ name, files, text }: PackedPackage): Fault[] {
  // The functions that rolldown adds to a bundle have no source.
  const built = files.filter((file) => /^dist\/(?!rolldown-runtime).*(\.js|\.d\.ts)$/.test(file));
  // The page of the console is built without maps, which would be larger than the page.
  if (!built.some((file) => files.includes(`${file}.map`))) return [];
  const fault = (file: string, rule: string): Fault => ({
    package: name,
    file,
    rule,
    action: "build with source maps, and publish `src`",
  });
  return built.flatMap((file) => {
    const map = `${file}.map`;
    if (
      !text(file)
        .trimEnd()
        .endsWith(`//# sourceMappingURL=${posix.basename(map)}`)
    )
      return [fault(file, "names no source map")];
    const { sources, sourcesContent = [] }: SourceMap = JSON.parse(text(map));
    return sources
      .filter((_, index) => typeof sourcesContent[index] !== "string")
      .map((source) => posix.join(posix.dirname(map), source))
      .filter((path) => !files.includes(path))
      .map((path) => fault(map, `names the source ${path}, which the package lacks`));
  });
}
