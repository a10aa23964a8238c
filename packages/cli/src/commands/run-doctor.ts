import { commandFunction, type JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-code.ts";
import { optionalPackage } from "../optional-package.ts";
import { defaultFormat, type Format } from "../output/format.ts";
import { rowWriter } from "../output/row-writer.ts";
import { write } from "../output/write.ts";

export interface DoctorFlags extends JsonFlag {
  readonly dataDir: string;
  readonly format?: Format;
}

const columns = ["check", "ok", "meaning"].map((name) => ({ name, key: name, type: "string" }));

export const runDoctor = commandFunction(async (context: Context, flags: DoctorFlags) => {
  const { process } = context;
  const server = await optionalPackage<typeof import("@quern/server")>("doctor", "@quern/server", process.cwd());
  const disk = await server.examineDisk(flags.dataDir);
  const layers = server.sandboxing().layers.map(({ name, isPresent, meaning }) => [name, isPresent, meaning]);
  const writer = rowWriter(flags.format ?? defaultFormat(process.stdout), columns);
  const rows = [...layers, ["disk", disk.hasRoom, disk.meaning]];
  await write(process.stdout, writer.head() + writer.page(rows) + writer.tail());
  if (rows.some(([, ok]) => ok === false)) process.exitCode = exitCodes.failed;
});
