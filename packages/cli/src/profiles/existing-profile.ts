import { nearestWord } from "@quern/protocol/nearest-word";
import { UsageError } from "../errors/cli-error.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { requiredConfigPath } from "./config-path.ts";
import type { Profile } from "./profile.ts";

/** Reads the configuration file of commands that change it. @throws {UsageError} There is none. */
export async function openConfig(env: Readonly<NodeJS.ProcessEnv>): Promise<ConfigFile> {
  const path = requiredConfigPath(env);
  const file = await readConfigFile(path);
  if (file !== undefined) return file;
  throw new UsageError(`there is no profile yet: ${path} does not exist; \`quern login\` creates one`);
}

/** @throws {UsageError} There is no such profile. */
export function existingProfile(file: ConfigFile, name: string): Profile {
  const profile = file.profiles.get(name);
  if (profile !== undefined) return profile;
  throw new UsageError(`unknown profile: ${name}; ${profileAdvice(file, file.path, name)}`);
}

/** Returns what to do about an unknown profile. */
export function profileAdvice(file: ConfigFile | undefined, path: string, unknown: string): string {
  const nearest = nearestWord(unknown, [...(file?.profiles.keys() ?? [])]);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return `${path} has no [profiles.${unknown}]; \`quern profiles\` lists the profiles`;
}
