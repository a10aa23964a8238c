import type { Context } from "../command-function.ts";
import { withUsageErrors } from "../errors/cli-error.ts";
import { optionalPackage } from "../optional-package.ts";

type Administration = typeof import("@quern/server/administration");

/** Runs a function of the service's administration. The service may be running on the same data directory. */
export async function administer<T>(
  command: string,
  { process }: Context,
  perform: (administration: Administration) => Promise<T>,
): Promise<T> {
  const administration = await optionalPackage<Administration>(command, "@quern/server/administration", process.cwd());
  return withUsageErrors(administration.AdministrationError, () => perform(administration));
}
