import { randomUUID } from "node:crypto";
import { chmod, mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import { UsageError } from "../errors/cli-error.ts";
import type { ConfigFile } from "./config-file.ts";
import { type TomlMembers, withMembers, withoutTable } from "./edit-toml.ts";
import { parseConfig } from "./parse-config.ts";

export interface ConfigChange {
  /** Name of the default profile, or null to remove it. */
  readonly defaultProfile?: string | null;
  /** Members of a profile to set, or to remove if the value is undefined; null removes the profile. */
  readonly profile?: { readonly name: string; readonly members: TomlMembers | null };
}

/**
 * Changes the configuration file in place of an editor: other lines, comments and members stay as they are.
 * @throws {UsageError} The file cannot be written, or its form is one that only a person can edit.
 */
export async function changeConfig(file: ConfigFile | undefined, path: string, change: ConfigChange): Promise<void> {
  const old = file?.text ?? "";
  const text = editedText(old, change);
  // The edit goes by lines; a form that it does not know, such as an inline table, shows in what the parser reads.
  if (!isDeepStrictEqual(documentOf(text), changedDocument(parse(old), change)))
    throw new UsageError(`cannot change ${path}: its profiles are written in a form that only you can edit; edit it`);
  parseConfig(text, path);
  await writePrivateFile(path, text);
}

function editedText(old: string, { profile, defaultProfile }: ConfigChange): string {
  let text = old;
  if (profile?.members === null) text = withoutTable(text, ["profiles", profile.name]);
  else if (profile !== undefined) text = withMembers(text, ["profiles", profile.name], profile.members);
  if (defaultProfile === undefined) return text;
  return withMembers(text, [], { default_profile: defaultProfile ?? undefined });
}

function documentOf(text: string): unknown {
  try {
    return plain(parse(text));
  } catch {
    return undefined;
  }
}

function changedDocument(document: Record<string, unknown>, { profile, defaultProfile }: ConfigChange): unknown {
  const profiles: Record<string, unknown> = { ...Object(document.profiles) };
  if (profile?.members === null) delete profiles[profile.name];
  else if (profile !== undefined) profiles[profile.name] = { ...Object(profiles[profile.name]), ...profile.members };
  const changed: Record<string, unknown> = { ...document, profiles };
  if (defaultProfile !== undefined) changed.default_profile = defaultProfile ?? undefined;
  return plain(changed);
}

/** Returns a copy without members that are undefined, and without empty tables of profiles. */
function plain(document: object): unknown {
  const { profiles = {}, ...rest } = JSON.parse(JSON.stringify(document));
  return { ...rest, profiles };
}

/**
 * Writes a file under a temporary name and renames it, so that it is never incomplete. A new file can be read by the user
 * alone. A link stays, and the file that it names is written.
 * @throws {UsageError}
 */
export async function writePrivateFile(path: string, text: string, { keepMode = true } = {}): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const target = await realpath(path).catch(() => path);
    const old = keepMode ? await stat(target).catch(() => undefined) : undefined;
    const part = `${target}.${randomUUID()}.part`;
    try {
      await writeFile(part, text, { mode: 0o600, flag: "wx", flush: true });
      // The mode of a new file depends on the umask; `chmod` does not.
      if (old !== undefined) await chmod(part, old.mode & 0o777);
      await rename(part, target);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${error instanceof Error ? error.message : error}`);
  }
}
