import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import type { JsonFlag } from "../../flags.ts";
import { checkStatement, verdicts } from "../../migration/check-statement.ts";
import { type OldFile, oldFiles, writeBeside } from "../../migration/old-files.ts";
import { type CheckedStatement, statementJson, statementText, verdictTexts } from "../../migration/report.ts";
import { loadTranspiler, type Transpile, transpilerName } from "../../migration/transpiler.ts";
import { write } from "../../output/target.ts";
import type { StatementFlags } from "../../statement/flags.ts";

export interface MigrateCheckFlags
  extends ConnectionFlags,
    JsonFlag,
    Pick<StatementFlags, "dataSource" | "dataProvider"> {
  readonly write: boolean;
}

/** Number of statements that are checked at the same time. */
const concurrency = 4;

export const runMigrateCheck = commandFunction(
  async (context: Context, flags: MigrateCheckFlags, ...patterns: readonly string[]) => {
    const { stdout, stderr } = context.process;
    const folder = context.process.cwd();
    const files = await oldFiles(patterns, folder);
    if (files.every(({ statements }) => statements.length === 0))
      throw new UsageError("missing statement: the files have only comments");
    const client = await connect(flags, context);
    let loaded: Promise<Transpile | undefined> | undefined;
    const transpiler = () => {
      loaded ??= loadTranspiler(folder);
      return loaded;
    };
    const { dataSource, dataProvider } = flags;
    const options = { dataSource, dataProvider, call: timeoutOf(flags), transpiler };
    const checked: CheckedStatement[] = [];
    for (const file of files) {
      const ofFile = await inOrder(file.statements, concurrency, async (statement) => ({
        file: file.path,
        statement,
        ...(await checkStatement(client, statement.sql, options)),
      }));
      checked.push(...ofFile);
      if (!flags.json) for (const statement of ofFile) await write(stdout, statementText(statement));
      if (flags.write) await writeRewritten(context, file, ofFile);
    }
    const counts = verdicts.map(
      (verdict) => [verdict, checked.filter((each) => each.verdict === verdict).length] as const,
    );
    if (flags.json) {
      const report = { counts: Object.fromEntries(counts), statements: checked.map(statementJson) };
      await write(stdout, `${JSON.stringify(report)}\n`);
    } else {
      const summary = counts
        .filter(([, count]) => count > 0)
        .map(([verdict, count]) => `${count} ${verdictTexts[verdict]}`);
      await write(stdout, `\n${checked.length} statement${checked.length === 1 ? "" : "s"}: ${summary.join(", ")}\n`);
    }
    if (checked.some(({ verdict }) => verdict === "by-hand") && (await transpiler()) === undefined)
      stderr.write(
        `more statements may be rewritten with ${transpilerName}; install it: npm install ${transpilerName}\n`,
      );
    if (checked.some(({ verdict }) => verdict === "rewrite" || verdict === "by-hand"))
      context.process.exitCode = exitCodes.unexpected;
  },
);

/** Calls a function for each element, a few at the same time, and returns the results in the order of the elements. */
async function inOrder<Element, Result>(
  elements: readonly Element[],
  limit: number,
  perform: (element: Element) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = elements.entries();
  const work = async () => {
    for (const [at, element] of rest) results[at] = await perform(element);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}

async function writeRewritten(
  { process }: Context,
  file: OldFile,
  checked: readonly CheckedStatement[],
): Promise<void> {
  const rewrites = checked.map(({ rewrite }) => rewrite?.sql);
  if (rewrites.every((sql) => sql === undefined)) return;
  const { path, isWritten } = await writeBeside(file, rewrites, process.cwd());
  const line = isWritten ? `wrote ${path}` : `kept ${path}, which has other text; remove it to write it again`;
  process.stderr.write(`${line}\n`);
}
