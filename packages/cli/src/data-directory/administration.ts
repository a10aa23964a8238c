import type { Context } from "../command-function.ts";
import { withUsageErrors } from "../errors/cli-error.ts";
import { optionalPackage } from "../optional-package.ts";
import { readSettings } from "./configuration.ts";
import type { StoreFlags } from "./flags.ts";

type Administration = typeof import("@quern/server/administration");
type Service = typeof import("@quern/server");
type Location = Parameters<Administration["listKeys"]>[0];

/**
 * Runs a function of the service's administration on the store that the settings name, or on that of the data directory.
 * The service may be running.
 */
export async function administer<T>(
  command: string,
  context: Context,
  flags: StoreFlags,
  perform: (administration: Administration, location: Location) => Promise<T>,
): Promise<T> {
  const { cwd } = context.process;
  const administration = await optionalPackage<Administration>(command, "@quern/server/administration", cwd());
  return withUsageErrors(administration.AdministrationError, async () =>
    perform(administration, await locationOf(command, context, flags)),
  );
}

async function locationOf(command: string, context: Context, { dataDir, config }: StoreFlags): Promise<Location> {
  const { env, cwd } = context.process;
  // Without these, the store is in the data directory, and the settings need not be read.
  if (!config && !env.QUERN_CONFIG && !env.QUERN_STORE && !env.QUERN_RESULTS) return dataDir;
  const service = await optionalPackage<Service>(command, "@quern/server", cwd());
  const { store, storePassword, storePasswordFile, results } = await readSettings(service, context, config, {});
  return { dataDir, store, storePassword, storePasswordFile, results };
}
