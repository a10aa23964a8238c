import type { Context } from "../command-function.ts";
import { type ConfigFile, readConfigFile } from "../profiles/config-file.ts";
import { configPath } from "../profiles/config-path.ts";
import type { ConnectionFlags } from "./flags.ts";
import { type Settings, settingsOf } from "./settings.ts";

export interface ResolvedSettings extends Settings {
  readonly file: ConfigFile | undefined;
}

/** Results by command, so that the file is read once. */
const resolved = new WeakMap<Context, Map<string, Promise<ResolvedSettings>>>();

/** Finds the settings of the connection in the flags, the environment and the configuration file. @throws {UsageError} */
export function resolveSettings(flags: ConnectionFlags, context: Context): Promise<ResolvedSettings> {
  const { url, apiKeyFile, profile } = flags;
  const id = JSON.stringify([url, apiKeyFile, profile]);
  const known = resolved.get(context) ?? new Map<string, Promise<ResolvedSettings>>();
  resolved.set(context, known);
  const settings = known.get(id) ?? read();
  known.set(id, settings);
  return settings;

  async function read(): Promise<ResolvedSettings> {
    const { env, stderr } = context.process;
    const path = configPath(env);
    const file = path === undefined ? undefined : await readConfigFile(path);
    const settings = settingsOf(flags, env, file, path);
    if (settings.note !== undefined) stderr.write(`quern: ${settings.note}\n`);
    return { ...settings, file };
  }
}

/** Adds the format of the profile to the flags, as a default. */
export async function withProfileFormat<Flags extends ConnectionFlags>(context: Context, flags: Flags) {
  const { profile } = await resolveSettings(flags, context);
  const { format: defaultFormat } = profile?.members ?? {};
  return defaultFormat === undefined ? flags : { ...flags, defaultFormat };
}

/** Adds the data source and the format of the profile to the flags, as defaults. */
export async function withProfile<
  Flags extends ConnectionFlags & { readonly dataSource?: string; readonly dataProvider?: string },
>(context: Context, flags: Flags) {
  const all = await withProfileFormat(context, flags);
  const source = (await resolveSettings(flags, context)).profile?.members.source;
  const isGiven = flags.dataSource !== undefined || flags.dataProvider !== undefined;
  return isGiven || source === undefined ? all : { ...all, dataSource: source };
}
