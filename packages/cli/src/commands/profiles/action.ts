import { type Context, commandFunction } from "../../command-function.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { type ResolvedSettings, resolveSettings } from "../../connection/resolve.ts";
import type { JsonFlag } from "../../flags.ts";
import type { FormatFlags } from "../../output/flags.ts";
import { writeDone, writeRows } from "../../output/rows.ts";
import { changeConfig } from "../../profiles/change-config.ts";
import { type ConfigFile, readConfigFile } from "../../profiles/config-file.ts";
import { requiredConfigPath } from "../../profiles/config-path.ts";
import { existingProfile, openConfig } from "../../profiles/existing-profile.ts";
import { keyMemberOf, type Profile } from "../../profiles/profile.ts";
import { isOwnKey, removeKey } from "../../profiles/stored-key.ts";

export type ListProfilesFlags = FormatFlags;

export interface ShowProfileFlags extends FormatFlags, Pick<ConnectionFlags, "profile" | "url" | "apiKeyFile"> {}

export type ProfileFlags = JsonFlag;

export const runListProfiles = commandFunction(async (context: Context, flags: ListProfilesFlags) => {
  const file = await readConfigFile(requiredConfigPath(context.process.env));
  const rows = [...(file?.profiles ?? [])].map(([name, profile]) => ({
    name,
    url: profile.url,
    key: keyMemberOf(profile),
    source: profile.source,
    default: name === file?.defaultProfile,
  }));
  await writeRows(context, flags, ["name", "url", "key", "source", "default"], rows);
});

export const runShowProfile = commandFunction(async (context: Context, flags: ShowProfileFlags, name?: string) => {
  const profile = name ?? flags.profile;
  const settings = await resolveSettings({ ...flags, ...(profile !== undefined && { profile }) }, context);
  const { env } = context.process;
  const rows = settingRows(settings, env);
  const path = requiredConfigPath(env);
  const hasFile = settings.file !== undefined;
  const configRow = {
    setting: "config_file",
    value: path,
    origin: `${env.QUERN_CLI_CONFIG ? "QUERN_CLI_CONFIG" : "default"}${hasFile ? "" : "; it does not exist"}`,
  };
  await writeRows(context, flags, ["setting", "value", "origin"], [...rows, configRow]);
});

export const runUseProfile = commandFunction(async (context: Context, flags: ProfileFlags, name: string) => {
  const file = await openConfig(context.process.env);
  existingProfile(file, name);
  await changeConfig(file, file.path, { defaultProfile: name });
  await writeDone(context, flags, "default", [name]);
});

export const runRemoveProfile = commandFunction(async (context: Context, flags: ProfileFlags, name: string) => {
  const file = await openConfig(context.process.env);
  const profile = existingProfile(file, name);
  if (isOwnKey(name, profile)) await removeKey(name, profile, file);
  const isDefault = file.defaultProfile === name;
  await changeConfig(file, file.path, {
    profile: { name, members: null },
    ...(isDefault && { defaultProfile: null }),
  });
  await writeDone(context, flags, "removed", [name]);
});

/** Returns the settings of the connection as rows. Secrets are hidden. */
function settingRows({ profile, url, key, file }: ResolvedSettings, env: Readonly<NodeJS.ProcessEnv>) {
  const { origin = null } = profile ?? {};
  const ofProfile = (member: keyof Profile) => ({
    setting: member,
    value: profile?.members[member] ?? null,
    origin: profile?.members[member] === undefined ? null : `profile ${profile.name}`,
  });
  return [
    { setting: "profile", value: profile?.name ?? null, origin },
    { setting: "url", value: url.value.href.replace(/\/$/, ""), origin: url.origin },
    { setting: "api_key", ...keyRow() },
    proxyRow(),
    { ...ofProfile("ca_file"), ...caVariable() },
    ofProfile("source"),
    ofProfile("format"),
  ];

  function keyRow() {
    switch (key.kind) {
      case "file":
        return { value: "hidden", origin: `--api-key-file ${key.file}` };
      case "variable":
        return { value: "hidden", origin: key.origin };
      case "missing":
        return { value: null, origin: key.reason ?? null };
      case "profile":
        return { value: "hidden", origin: `${key.origin}: ${placeOfKey(key.member)}` };
    }
  }

  function placeOfKey(member: NonNullable<ReturnType<typeof keyMemberOf>>): string {
    if (member === "keyring") return "the system's keyring";
    if (member === "api_key_file") return `api_key_file ${profile?.members.api_key_file}`;
    return sharedNote(member, file);
  }

  function caVariable() {
    const isSet = profile?.members.ca_file === undefined && env.NODE_EXTRA_CA_CERTS;
    return isSet ? { value: env.NODE_EXTRA_CA_CERTS, origin: "NODE_EXTRA_CA_CERTS" } : {};
  }

  function proxyRow() {
    const row = ofProfile("proxy");
    if (typeof row.value === "string") return { ...row, value: withoutPassword(row.value) || "none" };
    const name = `${url.value.protocol.slice(0, -1)}_proxy`;
    const origins = [name, name.toUpperCase()].find((each) => env[each]);
    if (origins === undefined) return row;
    return { setting: "proxy", value: withoutPassword(env[origins] ?? ""), origin: origins };
  }
}

function sharedNote(member: string, file: ConfigFile | undefined): string {
  if (member !== "api_key" || file?.sharedMode === undefined) return member;
  return `${member}, which is refused because other users may read the file`;
}

function withoutPassword(address: string): string {
  return address.replace(/:[^:@/]*@/, ":***@");
}
