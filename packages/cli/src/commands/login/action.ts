import { text } from "node:stream/consumers";
import { type Context, commandFunction } from "../../command-function.ts";
import { proveKey } from "../../connection/prove-key.ts";
import { AuthError, UsageError } from "../../errors/cli-error.ts";
import type { JsonFlag } from "../../flags.ts";
import { defaultUrl, httpUrl } from "../../http-address.ts";
import { write } from "../../output/target.ts";
import { changeConfig } from "../../profiles/change-config.ts";
import { type ConfigFile, readConfigFile } from "../../profiles/config-file.ts";
import { requiredConfigPath } from "../../profiles/config-path.ts";
import { removeFromKeyring } from "../../profiles/keyring.ts";
import { storeKey } from "../../profiles/stored-key.ts";
import { ask } from "../../prompt.ts";

export interface LoginFlags extends JsonFlag {
  readonly profile?: string;
  readonly url?: string;
  readonly apiKeyStdin: boolean;
  readonly keyring?: boolean;
}

/** Names that need no quotes in TOML and can be in the name of a file. */
const profileName = /^[\w-]{1,64}$/;
/** Characters that an HTTP header can have, without white space. */
const keyText = /^[\x21-\x7e]+$/;

export const runLogin = commandFunction(async (context: Context, flags: LoginFlags) => {
  const { env, stdout, stderr } = context.process;
  const path = requiredConfigPath(env);
  const file = await readConfigFile(path);
  const name = flags.profile ?? (env.QUERN_PROFILE || file?.defaultProfile) ?? "default";
  if (!profileName.test(name))
    throw new UsageError(`invalid profile: expected up to 64 letters, digits, - or _, got ${JSON.stringify(name)}`);
  checkKeyFile(name, file);
  const { href } = await addressOf(context, flags, file?.profiles.get(name)?.url);
  const url = href.replace(/\/$/, "");
  const key = await keyFor(context, flags);
  await proveKey(context, { url, key, profile: name, file });
  const { members, place, note } = await storeKey(name, url, key, path, flags.keyring);
  const old = file?.profiles.get(name);
  // The name of a key in the keyring has the origin.
  const isMoved = old?.url !== undefined && new URL(old.url).origin !== new URL(url).origin;
  if (old?.keyring && (isMoved || members.keyring !== true)) await removeFromKeyring(name, old.url ?? defaultUrl);
  if (note !== undefined && flags.keyring === true)
    stderr.write(`quern: the key is in a file, because the system's keyring cannot be used: ${note}\n`);
  else if (note !== undefined)
    stderr.write("quern: this system has no keyring that can be used, so the key is in a file\n");
  const isFirst = file?.defaultProfile === undefined;
  await changeConfig(file, path, { profile: { name, members }, ...(isFirst && { defaultProfile: name }) });
  const line = `logged in to ${url} as profile ${name}; the key is in ${place}`;
  await write(stdout, `${flags.json ? JSON.stringify({ profile: name, url, key: place, config: path }) : line}\n`);
});

/** @throws {UsageError} The file for the key is that of a profile whose name differs only in case. */
function checkKeyFile(name: string, file: ConfigFile | undefined): void {
  const similar = [...(file?.profiles.keys() ?? [])].find(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  );
  if (similar !== undefined)
    throw new UsageError(`invalid profile: ${name} differs from ${similar} only in case; choose another name`);
}

async function addressOf(context: Context, { url }: LoginFlags, known: string | undefined): Promise<URL> {
  const { env, stdin } = context.process;
  if (url !== undefined) return httpUrl(url, "--url");
  if (known === undefined && env.QUERN_URL) httpUrl(env.QUERN_URL, "QUERN_URL");
  const preset = known ?? (env.QUERN_URL || undefined);
  if (!stdin.isTTY) {
    if (preset !== undefined) return new URL(preset);
    throw new UsageError("missing address: stdin is no terminal; pass --url");
  }
  const shown = preset ?? defaultUrl;
  return httpUrl((await ask(context, `Address of the service [${shown}]: `)).trim() || shown, "address");
}

async function keyFor(context: Context, { apiKeyStdin }: LoginFlags): Promise<string> {
  const { stdin } = context.process;
  if (!apiKeyStdin && !stdin.isTTY)
    throw new UsageError("missing key: stdin is no terminal; pass --api-key-stdin to read it from stdin");
  const given = apiKeyStdin ? await text(stdin) : await ask(context, "API key (not shown): ", { isHidden: true });
  const key = given.trim();
  if (key === "") throw new AuthError("missing API key: nothing was entered");
  if (keyText.test(key)) return key;
  throw new UsageError("invalid API key: expected one line of letters, digits and signs, without spaces");
}
