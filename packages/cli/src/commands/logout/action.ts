import { type Context, commandFunction } from "../../command-function.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { JsonFlag } from "../../flags.ts";
import { writeDone } from "../../output/rows.ts";
import { changeConfig } from "../../profiles/change-config.ts";
import { existingProfile, openConfig } from "../../profiles/existing-profile.ts";
import { removeKey } from "../../profiles/stored-key.ts";

export interface LogoutFlags extends JsonFlag {
  readonly profile?: string;
}

export const runLogout = commandFunction(async (context: Context, flags: LogoutFlags) => {
  const { env } = context.process;
  const file = await openConfig(env);
  const name = flags.profile ?? (env.QUERN_PROFILE || file.defaultProfile);
  if (name === undefined) throw new UsageError("there is no default profile; name one with --profile");
  const members = await removeKey(name, existingProfile(file, name), file);
  if (members === undefined) throw new UsageError(`profile ${name} has no key; \`quern login\` keeps one`);
  await changeConfig(file, file.path, { profile: { name, members } });
  await writeDone(context, flags, "logged out", [name]);
});
