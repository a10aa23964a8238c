import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import type { JsonFlag } from "../../flags.ts";
import { write } from "../../output/target.ts";
import { printableLines } from "../../output/terminal.ts";
import { staleFiles } from "../../typed-statements/stale-files.ts";
import { commonFolder, findStatementFiles } from "../../typed-statements/statement-files.ts";
import { writeTypes } from "../../typed-statements/write-types.ts";

export interface TypesFlags extends ConnectionFlags, JsonFlag {
  readonly check: boolean;
  readonly snapshot?: string;
  readonly dataSource?: string;
  readonly dataProvider?: string;
}

export const runTypes = commandFunction(async (context: Context, flags: TypesFlags, ...patterns: readonly string[]) => {
  const { process } = context;
  const { stdout, stderr } = process;
  const files = await findStatementFiles(patterns);
  const folder = commonFolder(patterns);
  const snapshot = flags.snapshot ?? (folder === "." ? snapshotName : `${folder}/${snapshotName}`);
  const warn = (line: string) => void stderr.write(`${printableLines(line)}\n`);
  if (flags.check) {
    const stale = await staleFiles(files, snapshot);
    if (stale.length > 0) process.exitCode = exitCodes.failed;
    if (flags.json) return write(stdout, `${JSON.stringify({ stale }, null, 2)}\n`);
    for (const { file, reason } of stale) warn(`${file}: ${reason}`);
    if (stale.length === 0) return write(stdout, `${counted(files.statements.length, "statement")} up to date\n`);
    const command = ["quern types", ...patterns.map((pattern) => `"${pattern}"`)].join(" ");
    return warn(`quern: stale files: ${stale.length}; run \`${command}\` with a service, and commit what it writes`);
  }
  const client = await connect(flags, context);
  const { dataSource, dataProvider } = flags;
  const source = {
    ...(dataSource !== undefined && { dataSource }),
    ...(dataProvider !== undefined && { dataProvider }),
  };
  const outcome = await writeTypes(client, files, snapshot, source, timeoutOf(flags));
  if (outcome.faults.length > 0) process.exitCode = exitCodes.failed;
  if (flags.json) return write(stdout, `${JSON.stringify(outcome, null, 2)}\n`);
  for (const { file, line, column, message } of [...outcome.faults, ...outcome.warnings])
    warn(`${file}:${line}:${column}: ${message}`);
  const { written, removed, faults } = outcome;
  const lines = [...written.map((file) => `wrote ${file}`), ...removed.map((file) => `removed ${file}`)];
  const valid = files.statements.length - faults.length;
  const summary = `${counted(valid, "statement")}, ${counted(written.length, "file")} written`;
  await write(stdout, printableLines([...lines, summary, ""].join("\n")));
  if (faults.length > 0) warn(`quern: invalid statements: ${faults.length}; correct them, and run the command again`);
});

const snapshotName = "quern-types.json";

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
