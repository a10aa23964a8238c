import { type Context, commandFunction } from "../../command-function.ts";
import { connect } from "../../connection/connect.ts";
import { resolveSettings, withProfile } from "../../connection/resolve.ts";
import type { ShellFlags } from "../../shell/session.ts";
import { runShell } from "../../shell/shell.ts";

export const runShellCommand = commandFunction(async (context: Context, given: ShellFlags) => {
  const { profile } = await resolveSettings(given, context);
  const format = given.format ?? (given.tsv ? "tsv" : given.vertical ? "vertical" : undefined);
  const flags: ShellFlags = await withProfile(context, { ...given, ...(format !== undefined && { format }) });
  const client = await connect(flags, context);
  await runShell(context, { client, flags, profile: profile?.name ?? "default" });
});
