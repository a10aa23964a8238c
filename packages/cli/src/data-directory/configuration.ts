import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context } from "../command-function.ts";
import { UsageError, withUsageErrors } from "../errors/cli-error.ts";

type Service = typeof import("@quern/server");
type Configuration = ReturnType<Service["readConfiguration"]>;

/** The settings of the service: the named flags over the environment over the file, which QUERN_CONFIG may name. */
export async function readSettings(
  service: Service,
  { process }: Context,
  config: string | undefined,
  flags: Readonly<Record<string, string | undefined>>,
): Promise<Configuration> {
  const name = config ?? process.env.QUERN_CONFIG;
  const file = name ? { name, text: await readConfigurationFile(resolve(process.cwd(), name)) } : undefined;
  const given = Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return withUsageErrors(service.ConfigurationError, () =>
    service.readConfiguration({ file, env: process.env, flags: given }),
  );
}

async function readConfigurationFile(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => {
    throw new UsageError(`cannot read the configuration file ${path}`);
  });
}
