import type { Context } from "../context.ts";
import { optionalPackage } from "../optional-package.ts";
import { mendable } from "./mendable.ts";

type Administration = typeof import("@quern/server/administration");

/** Works on a data directory, beside the service that may run on it. */
export async function administer<T>(
  command: string,
  { process }: Context,
  perform: (administration: Administration) => Promise<T>,
): Promise<T> {
  const administration = await optionalPackage<Administration>(command, "@quern/server/administration", process.cwd());
  return mendable(administration.AdministrationError, () => perform(administration));
}
