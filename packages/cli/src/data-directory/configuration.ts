import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context } from "../command-function.ts";
import { UsageError, withUsageErrors } from "../errors/cli-error.ts";
import { settingTable } from "../generated/settings.ts";

type Service = typeof import("@quern/server");
type Configuration = ReturnType<Service["readConfiguration"]>;

/** Defaults of `quern serve`. */
export const serveDefaults = {
  dataDir: settingTable.dataDir.default,
  port: settingTable.port.default,
  host: settingTable.host.default,
  logLevel: settingTable.logLevel.default,
} as const satisfies Configuration;

/**
 * Reads the settings of the service. Flags override the environment, and the environment overrides the file.
 * @param config File of settings. @default the file that QUERN_CONFIG names
 * @throws {UsageError} The file cannot be read, or a setting is invalid.
 */
export async function readSettings(
  service: Service,
  { process }: Context,
  config: string | undefined,
  flags: Readonly<Record<string, string | undefined>>,
): Promise<Configuration> {
  const name = config ?? process.env.QUERN_CONFIG;
  const file = name ? { name, text: await readConfigurationFile(resolve(process.cwd(), name)) } : undefined;
  const setFlags = Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return withUsageErrors(service.ConfigurationError, () =>
    service.readConfiguration({ file, env: process.env, flags: setFlags }),
  );
}

async function readConfigurationFile(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(
      `cannot read the configuration file: ${reason}; pass a JSON file of settings in --config or QUERN_CONFIG`,
    );
  });
}
