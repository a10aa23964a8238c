import { posix, win32 } from "node:path";
import { UsageError } from "../errors/cli-error.ts";

type Environment = Readonly<NodeJS.ProcessEnv>;

/**
 * Returns the path of the file with the profiles: QUERN_CLI_CONFIG, else `quern/config.toml` in the user's folder of
 * configurations. Returns undefined if the environment names no such folder.
 */
export function configPath(env: Environment, platform: NodeJS.Platform = process.platform): string | undefined {
  if (env.QUERN_CLI_CONFIG) return env.QUERN_CLI_CONFIG;
  const { join } = platform === "win32" ? win32 : posix;
  const folder = configFolder(env, platform);
  return folder && join(folder, "quern", "config.toml");
}

function configFolder({ APPDATA, XDG_CONFIG_HOME = "", HOME }: Environment, platform: NodeJS.Platform) {
  if (platform === "win32") return APPDATA;
  // The XDG specification tells programs to ignore a relative path.
  if (posix.isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  return HOME && posix.join(HOME, ".config");
}

/** @throws {UsageError} The environment names no folder for the file. */
export function requiredConfigPath(env: Environment): string {
  const path = configPath(env);
  if (path !== undefined) return path;
  throw new UsageError("no folder for the configuration file; set HOME, or name the file in QUERN_CLI_CONFIG");
}
