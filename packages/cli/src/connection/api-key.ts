import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Context } from "../command-function.ts";
import { AuthError, UsageError } from "../errors/cli-error.ts";
import { defaultUrl } from "../http-address.ts";
import type { ConnectionFlags } from "./flags.ts";
import type { ResolvedSettings } from "./resolve.ts";

/**
 * Reads the API key from the file of the flag, else from the environment, without spaces and line ends around it.
 * @throws {UsageError} The key file cannot be read.
 * @throws {AuthError} No API key is set.
 */
export async function apiKeyOf(
  { apiKeyFile }: Pick<ConnectionFlags, "apiKeyFile">,
  { process: { env } }: Context,
): Promise<string> {
  const key = (apiKeyFile === undefined ? env.QUERN_API_KEY : await keyIn(apiKeyFile, "--api-key-file"))?.trim();
  if (!key) throw new AuthError("missing API key");
  return key;
}

const keys = new WeakMap<ResolvedSettings, Promise<string>>();

/** Reads the API key from its place, once for a command: a command that prints it may ask the user. @throws {UsageError} @throws {AuthError} */
export function keyOfSettings(settings: ResolvedSettings, context: Context): Promise<string> {
  const key = keys.get(settings) ?? readKey(settings, context);
  keys.set(settings, key);
  return key;
}

async function readKey(settings: ResolvedSettings, context: Context): Promise<string> {
  const key = (await keyAt(settings, context))?.trim();
  if (key) return key;
  const { reason } = settings.key.kind === "missing" ? settings.key : { reason: undefined };
  throw new AuthError(`missing API key${reason === undefined ? "" : `: ${reason}`}`, { isOfProfile: true });
}

async function keyAt(settings: ResolvedSettings, context: Context): Promise<string | undefined> {
  const { key } = settings;
  switch (key.kind) {
    case "file":
      return keyIn(key.file, "--api-key-file");
    case "variable":
      return context.process.env.QUERN_API_KEY;
    case "profile":
      return keyOfProfile(settings, context);
    case "missing":
      return undefined;
  }
}

async function keyOfProfile({ profile, file }: ResolvedSettings, context: Context): Promise<string | undefined> {
  if (profile === undefined || file === undefined) return undefined;
  const { name, members } = profile;
  if (members.api_key !== undefined) {
    if (file.sharedMode === undefined) return members.api_key;
    const mode = file.sharedMode.toString(8).padStart(4, "0");
    throw new UsageError(
      `other users may read the key in ${file.path} (mode ${mode}); run \`chmod 600 ${file.path}\`, or \`quern login\` to keep the key elsewhere`,
    );
  }
  if (members.api_key_file !== undefined)
    return keyIn(fileOfProfile(members.api_key_file, file.path, context), `api_key_file of profile ${name}`);
  if (members.api_key_command !== undefined) {
    const { keyOfCommand } = await import("../profiles/key-command.ts");
    return keyOfCommand(members.api_key_command, `profile ${name}`, context.process);
  }
  const { keyInKeyring } = await import("../profiles/keyring.ts");
  const key = await keyInKeyring(name, members.url ?? defaultUrl);
  if (key !== undefined) return key;
  const reason = `the system's keyring has none for profile ${name} and its address`;
  throw new AuthError(`missing API key: ${reason}`, { isOfProfile: true });
}

/** Returns the path of a file that a profile names: from the user's home for `~/`, else from the folder of the configuration file. */
export function fileOfProfile(name: string, configFile: string, { process: { env } }: Context): string {
  if (/^~[\\/]/.test(name)) return join(env.HOME ?? homedir(), name.slice(2));
  return resolve(dirname(configFile), name);
}

async function keyIn(file: string, origin: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`cannot read the key file: ${reason}; pass a file with a key to ${origin}`);
  }
}
