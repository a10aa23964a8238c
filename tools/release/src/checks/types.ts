import { checkPackage } from "@arethetypeswrong/core";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";

/** Checks that the types of each entry point resolve, for ES modules. */
export async function typeFaults({ name, files, archive }: PackedPackage): Promise<Fault[]> {
  if (!files.some((file) => file.endsWith(".d.ts"))) return [];
  const result = await checkPackage(archive);
  const problems = "problems" in result ? result.problems : [];
  const counted = problems.filter(
    (problem) =>
      // The packages are ES modules only, so that `require` refuses them.
      problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  );
  // A problem comes once for each way to resolve a module.
  const places = counted.map((problem) => ({
    rule: `attw ${problem.kind}`,
    file: "entrypoint" in problem ? `entry point ${problem.entrypoint}` : "package.json",
  }));
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()].map((place) => ({
    ...place,
    package: name,
    action: "let `types` of this entry point in `exports` name a declaration file of the package",
  }));
}
