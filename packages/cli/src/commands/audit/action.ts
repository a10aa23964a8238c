import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { DataDirFlags } from "../../data-directory/flags.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import { write } from "../../output/target.ts";

export interface VerifyAuditFlags extends DataDirFlags {
  readonly file?: readonly string[];
  readonly expect?: string;
  readonly after?: string;
}

type Verification = Awaited<ReturnType<typeof import("@quern/server/administration").verifyAudit>>;

export const runVerifyAudit = commandFunction(async (context: Context, flags: VerifyAuditFlags) => {
  const { process } = context;
  const location = flags.file === undefined ? { dataDir: flags.dataDir } : { files: flags.file };
  const verification = await administer("audit", context, flags, ({ verifyAudit }) =>
    verifyAudit(location, { expected: flags.expect, after: flags.after }),
  );
  await write(process.stdout, flags.json ? `${JSON.stringify(verification)}\n` : textOf(verification));
  if (!verification.isIntact) process.exitCode = exitCodes.unexpected;
});

/** Maximum number of faults that a verification lists. */
const maxFaults = 100;

function textOf({ files, lines, last, faults }: Verification): string {
  const found = faults.length < maxFaults ? count(faults.length, "fault") : `${maxFaults} or more faults`;
  const counts = `${count(files.length, "file")}, ${count(lines, "line")}, ${found}`;
  const texts = [
    ...faults.map(({ file, line, fault, meaning }) => `${file}:${line}: ${fault}: ${meaning}`),
    counts,
    ...(last.hash === null ? [] : [`last line: ${last.sequence}, SHA-256 ${last.hash}`]),
  ];
  return texts.map((text) => `${text}\n`).join("");
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
