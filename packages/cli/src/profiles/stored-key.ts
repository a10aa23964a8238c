import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../errors/cli-error.ts";
import { defaultUrl } from "../http-address.ts";
import { writePrivateFile } from "./change-config.ts";
import type { ConfigFile } from "./config-file.ts";
import type { TomlMembers } from "./edit-toml.ts";
import { keepInKeyring, removeFromKeyring } from "./keyring.ts";
import type { Profile } from "./profile.ts";

/** Place where `quern login` has stored a key. */
export interface StoredKey {
  /** Members of the profile that lead to the key. */
  readonly members: TomlMembers;
  /** Such as "the system's keyring". */
  readonly place: string;
  /** Reason why the key is not in the keyring. */
  readonly note: string | undefined;
}

const noKey: TomlMembers = {
  api_key: undefined,
  api_key_file: undefined,
  api_key_command: undefined,
  keyring: undefined,
};

function keyFileName(profile: string): string {
  return `${profile}.key`;
}

/** Stores a key in the system's keyring, else in a file beside the configuration file that the user alone can read. @throws {UsageError} */
export async function storeKey(
  profile: string,
  url: string,
  key: string,
  configPath: string,
  useKeyring = true,
): Promise<StoredKey> {
  const note = useKeyring ? await keepInKeyring(profile, url, key) : undefined;
  const name = keyFileName(profile);
  const file = join(dirname(configPath), name);
  if (useKeyring && note === undefined) {
    await rm(file, { force: true });
    return { members: { url, ...noKey, keyring: true }, place: "the system's keyring", note };
  }
  await writePrivateFile(file, `${key}\n`, { keepMode: false });
  return { members: { url, ...noKey, api_key_file: name }, place: file, note };
}

/**
 * Removes the key that `quern login` has stored, and returns the members of the profile without it. Returns undefined if the
 * profile has no key.
 * @throws {UsageError} The key is in a place that is not of `quern login`.
 */
export async function removeKey(name: string, profile: Profile, file: ConfigFile): Promise<TomlMembers | undefined> {
  if (profile.keyring === true) {
    const reason = await removeFromKeyring(name, profile.url ?? defaultUrl);
    if (reason !== undefined)
      throw new UsageError(
        `cannot remove the key of profile ${name} from the system's keyring: ${reason}; unlock the keyring`,
      );
    return noKey;
  }
  if (profile.api_key !== undefined) return noKey;
  if (profile.api_key_file === keyFileName(name)) {
    await rm(join(dirname(file.path), profile.api_key_file), { force: true });
    return noKey;
  }
  const other = profile.api_key_file === undefined ? profile.api_key_command && "api_key_command" : "api_key_file";
  if (other === undefined) return undefined;
  throw new UsageError(
    `cannot remove the key of profile ${name}: it comes from ${other}; \`quern profiles remove ${name}\` removes the profile and leaves the key`,
  );
}

/** Returns whether the key of a profile is in a place of `quern login`, or in the profile itself. */
export function isOwnKey(name: string, { keyring, api_key, api_key_file }: Profile): boolean {
  return keyring === true || api_key !== undefined || api_key_file === keyFileName(name);
}
