import { UsageError } from "../errors/cli-error.ts";
import { defaultUrl, httpUrl } from "../http-address.ts";
import type { ConfigFile } from "../profiles/config-file.ts";
import { profileAdvice } from "../profiles/existing-profile.ts";
import { type KeyMember, keyMemberOf, type Profile } from "../profiles/profile.ts";
import type { ConnectionFlags } from "./flags.ts";

/** Value with the flag, variable or profile that it comes from. */
interface Setting<Value> {
  readonly value: Value;
  /** Such as `--url`, `QUERN_URL`, `profile production` or `default`. */
  readonly origin: string;
}

/** Place of the API key. The key itself is read when it is needed. */
type KeyPlace =
  | { readonly kind: "file"; readonly origin: string; readonly file: string }
  | { readonly kind: "variable"; readonly origin: string }
  | { readonly kind: "profile"; readonly origin: string; readonly member: KeyMember }
  | { readonly kind: "missing"; readonly reason: string | undefined };

/** Profile that the settings come from. */
interface ChosenProfile {
  readonly name: string;
  readonly members: Profile;
  /** Such as `--profile`, `QUERN_PROFILE` or `default_profile`. */
  readonly origin: string;
}

/** Settings of the connection, before the key is read. */
export interface Settings {
  readonly profile: ChosenProfile | undefined;
  readonly url: Setting<URL>;
  readonly key: KeyPlace;
  /** Line for the user about a key that is not used. */
  readonly note: string | undefined;
}

type SettingFlags = Pick<ConnectionFlags, "url" | "apiKeyFile" | "profile">;

/**
 * Finds the settings of the connection: those of flags, also of the profile that a flag names, go before the environment, and the
 * environment goes before other profiles. A key is only sent to the address that it is set with.
 * @throws {UsageError} There is no such profile, or the address is invalid.
 */
export function settingsOf(
  flags: SettingFlags,
  env: Readonly<NodeJS.ProcessEnv>,
  file: ConfigFile | undefined,
  path: string | undefined,
): Settings {
  const candidate = chosenProfile(flags.profile, env, file, path);
  const isByFlag = candidate?.origin === "--profile";
  const ofProfile = candidate?.members.url && { value: candidate.members.url, origin: `profile ${candidate.name}` };
  const ofEnvironment = env.QUERN_URL ? { value: env.QUERN_URL, origin: "QUERN_URL" } : undefined;
  const { value, origin } =
    (flags.url === undefined ? undefined : { value: flags.url, origin: "--url" }) ??
    ((isByFlag && ofProfile) || ofEnvironment) ??
    (ofProfile || { value: defaultUrl, origin: "default" });
  const url = { value: httpUrl(value, origin), origin };
  const isOwn = candidate !== undefined && isOfProfile(candidate.members, url);
  // The default profile is about its service: another address that is set leaves it out.
  const profile = isOwn || candidate?.origin !== "default_profile" ? candidate : undefined;
  return { profile, url, ...keyOf() };

  function keyOf(): Pick<Settings, "key" | "note"> {
    const { apiKeyFile } = flags;
    if (apiKeyFile !== undefined)
      return { key: { kind: "file", origin: "--api-key-file", file: apiKeyFile }, note: undefined };
    const member = profile && keyMemberOf(profile.members);
    const ownKey =
      isOwn && profile !== undefined && member !== undefined
        ? ({ kind: "profile", origin: `profile ${profile.name}`, member } as const)
        : undefined;
    if (isByFlag && ownKey) return { key: ownKey, note: undefined };
    const hasVariable = Boolean(env.QUERN_API_KEY?.trim());
    const variable = { kind: "variable", origin: "QUERN_API_KEY" } as const;
    if (hasVariable && isSameOrigin(env.QUERN_URL, url.value)) return { key: variable, note: undefined };
    if (ownKey !== undefined) {
      const note = `QUERN_API_KEY is not used, because profile ${profile?.name} has the address and a key; to use it, set QUERN_URL, too`;
      return { key: ownKey, note: hasVariable ? note : undefined };
    }
    if (hasVariable && !(isOwn && profile?.members.url)) return { key: variable, note: undefined };
    return { key: { kind: "missing", reason: missingReason(hasVariable, member) }, note: undefined };
  }

  function missingReason(hasVariable: boolean, member: KeyMember | undefined): string | undefined {
    if (profile === undefined) return undefined;
    const own = `profile ${profile.name}`;
    if (!isOwn) return member && `the key of ${own} is only sent to ${profile.members.url ?? defaultUrl}`;
    return hasVariable
      ? `${own} has none, and QUERN_API_KEY is only sent to its address if QUERN_URL names it, too`
      : `${own} has none`;
  }
}

/** Returns whether an address is that of a profile. */
function isOfProfile({ url }: Profile, { value, origin }: Setting<URL>): boolean {
  return url === undefined ? origin === "default" : isSameOrigin(url, value);
}

function isSameOrigin(text: string | undefined, url: URL): boolean {
  return text !== undefined && URL.parse(text)?.origin === url.origin;
}

function chosenProfile(
  flag: string | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
  file: ConfigFile | undefined,
  path: string | undefined,
): ChosenProfile | undefined {
  const { name, origin } = (flag === undefined ? undefined : { name: flag, origin: "--profile" }) ??
    (env.QUERN_PROFILE ? { name: env.QUERN_PROFILE, origin: "QUERN_PROFILE" } : undefined) ?? {
      name: file?.defaultProfile,
      origin: "default_profile",
    };
  if (name === undefined) return undefined;
  const members = file?.profiles.get(name);
  if (members !== undefined) return { name, members, origin };
  throw new UsageError(`unknown profile: ${name}${origin === "--profile" ? "" : ` of ${origin}`}; ${advice(name)}`);

  function advice(unknown: string): string {
    if (path === undefined) return "set HOME or QUERN_CLI_CONFIG, so that the file with the profiles can be found";
    return profileAdvice(file, path, unknown);
  }
}
