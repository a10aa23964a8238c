import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { StoreFlags } from "../../data-directory/flags.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import { write } from "../../output/target.ts";
import { createProgress } from "../../run/progress.ts";

export interface MigrateStoreFlags extends StoreFlags {
  readonly toStore?: string;
  readonly toStorePasswordFile?: string;
  readonly toResults?: string;
  readonly toDataDir?: string;
  readonly check: boolean;
  readonly abandonResults: boolean;
}

type Administration = typeof import("@quern/server/administration");
type Report = Awaited<ReturnType<Administration["migrateStore"]>>;
type Kind = Report["kinds"][number]["kind"];

const names: Readonly<Record<Kind, string>> = {
  tenants: "tenants",
  keys: "keys",
  settings: "settings",
  usage: "months of usage",
  usedLinks: "used links",
  statements: "statements",
  runs: "runs",
  requests: "requests",
  idempotencyKeys: "idempotency keys",
  results: "results",
};

/** Time between two lines of progress, in milliseconds. */
const progressMs = 1_000;

export const runMigrateStore = commandFunction(async (context: Context, flags: MigrateStoreFlags) => {
  const { process } = context;
  const { toStore, toStorePasswordFile, toResults, toDataDir, check, json } = flags;
  if (flags.abandonResults) return abandon(context, flags);
  const target = { store: toStore, storePasswordFile: toStorePasswordFile, results: toResults, dataDir: toDataDir };
  const progress = createProgress(process, !json);
  let shownAt = performance.now();
  const onProgress = (kind: Kind, count: number): void => {
    if (performance.now() - shownAt < progressMs) return;
    shownAt = performance.now();
    progress.show(`${names[kind]}: ${numberText(count)}`);
  };
  const report = await administer("migrate-store", context, flags, ({ migrateStore }, source) =>
    migrateStore({ source, target, check, onProgress }),
  ).finally(() => progress.clear());
  await write(process.stdout, json ? `${JSON.stringify(report)}\n` : textOf(report, check));
  if (!json) process.stderr.write(faultText(report));
  if (!report.isEqual) process.exitCode = exitCodes.unexpected;
});

async function abandon(context: Context, flags: MigrateStoreFlags): Promise<void> {
  const { toStore, toStorePasswordFile, toResults, toDataDir, check, json } = flags;
  if (check || [toStore, toStorePasswordFile, toResults, toDataDir].some((flag) => flag !== undefined))
    throw new UsageError(
      "--abandon-results takes neither --check nor a flag of a target; set the new location of the results in the settings",
    );
  const results = await administer("migrate-store", context, flags, ({ abandonResults }, source) =>
    abandonResults(source),
  );
  const text = `the results are in ${results}; those in other locations expire when a caller reads them\n`;
  await write(context.process.stdout, json ? `${JSON.stringify({ results })}\n` : text);
}

function textOf({ kinds }: Report, isCheck: boolean): string {
  const lines = kinds.map(({ kind, source, target, isEqual }) => {
    const counts = isCheck ? numberText(source) : `${numberText(source)} moved, ${numberText(target)}`;
    return `${names[kind]} ${counts} checked${isEqual ? "" : ": they differ"}\n`;
  });
  return lines.join("");
}

function faultText({ differences, missingResults }: Report): string {
  const lines = differences.map(
    ({ kind, id, fault }) => `${names[kind]}: ${fault} in the target: ${JSON.stringify(id)}`,
  );
  if (lines.length > 0)
    lines.push("the source or the target has changed since it was copied; copy the source to an empty target");
  if (missingResults > 0)
    lines.push(
      `results that the source no longer has: ${numberText(missingResults)}; calls that read them get QueryRunResultsExpired`,
    );
  return lines.map((line) => `${line}\n`).join("");
}

function numberText(count: number): string {
  return count.toLocaleString("en-US");
}
