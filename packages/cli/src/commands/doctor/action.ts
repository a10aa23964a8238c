import { resolve } from "node:path";
import { type Context, commandFunction } from "../../command-function.ts";
import { readSettings } from "../../data-directory/configuration.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import { settingTable } from "../../generated/settings.ts";
import { optionalPackage } from "../../optional-package.ts";
import type { FormatFlags } from "../../output/flags.ts";
import { writeRows } from "../../output/rows.ts";

export interface DoctorFlags extends FormatFlags {
  readonly dataDir?: string;
  readonly config?: string;
}

export const runDoctor = commandFunction(async (context: Context, flags: DoctorFlags) => {
  const { process } = context;
  const server = await optionalPackage<typeof import("@quern/server")>("doctor", "@quern/server", process.cwd());
  const settings = await readSettings(server, context, flags.config, { dataDir: flags.dataDir });
  const dataDir = resolve(process.cwd(), settings.dataDir ?? settingTable.dataDir.default);
  const disk = await server.examineDisk(dataDir, settings.limits?.maxDiskShare);
  const directory = await server.examineDataDirectory(dataDir);
  const user = await server.examineUserIds(
    server.parseUserIds(settings.processUids ?? settingTable.processUids.default),
  );
  const { sources: configured = server.dataDirectorySources(dataDir) } = settings;
  // Sources in a bucket are among the storage.
  const sources =
    typeof configured === "string" ? undefined : await server.examineSources(configured, dataDir, user.canChangeUser);
  const storage = await server.examineStorage(settings);
  const rows = [
    ...[...server.sandboxing().layers, user.layer].map(({ name, isPresent, isOptional, meaning }) => ({
      check: name,
      ok: isPresent || (isOptional ? null : false),
      meaning,
    })),
    { check: "disk", ok: disk.hasSpace, meaning: disk.meaning },
    { check: "data-directory", ok: directory.isPrivate && directory.isDenied !== true, meaning: directory.meaning },
    ...storage.map(({ name, isReachable, meaning }) => ({ check: name, ok: isReachable, meaning })),
    ...(sources === undefined ? [] : [{ check: "sources", ok: sources.isReadable, meaning: sources.meaning }]),
  ];
  await writeRows(context, flags, ["check", "ok", "meaning"], rows);
  if (rows.some(({ ok }) => ok === false)) process.exitCode = exitCodes.failed;
});
