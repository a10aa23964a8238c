import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { StoreFlags } from "../../data-directory/flags.ts";
import { write } from "../../output/target.ts";

export interface EraseFlags extends StoreFlags {
  readonly user: string;
  readonly tenant?: string;
}

type Erased = Awaited<ReturnType<typeof import("@quern/server/administration").eraseUser>>;

export const runErase = commandFunction(async (context: Context, flags: EraseFlags) => {
  const { tenant, user, json } = flags;
  const erased = await administer("erase", context, flags, ({ eraseUser }, dataDir) =>
    eraseUser({ dataDir, tenant, user }),
  );
  await write(context.process.stdout, json ? `${JSON.stringify(erased)}\n` : textOf(erased));
  if (erased.runs + erased.sharedRuns === 0 && !json) {
    const place = tenant === undefined ? "the tenant of the first key" : `tenant ${tenant}`;
    context.process.stderr.write(
      `no run of ${user} in ${place}; if you expected some, check the names, which \`quern usage\` prints\n`,
    );
  }
  if (erased.activeKeys > 0 && !json)
    context.process.stderr.write(
      `active keys of ${user}: ${erased.activeKeys}; revoke them with \`quern keys revoke\`, and erase again\n`,
    );
});

function textOf({ runs, executingRuns, sharedRuns, statements }: Erased): string {
  const stopped =
    executingRuns === 0
      ? ""
      : `executing runs, which the service stops within a third of leaseSeconds: ${executingRuns}\n`;
  return `erased runs: ${runs}\n${stopped}erased statements: ${statements}\nruns kept for other users: ${sharedRuns}\n`;
}
