import type { Context } from "../command-function.ts";
import { withUsageErrors } from "../errors/cli-error.ts";
import { optionalPackage } from "../optional-package.ts";

type Administration = typeof import("@quern/server/administration");

/** Works on a data directory, beside the service that may run on it. */
export async function administer<T>(
  command: string,
  { process }: Context,
  perform: (administration: Administration) => Promise<T>,
): Promise<T> {
  const administration = await optionalPackage<Administration>(command, "@quern/server/administration", process.cwd());
  return withUsageErrors(administration.AdministrationError, () => perform(administration));
}
