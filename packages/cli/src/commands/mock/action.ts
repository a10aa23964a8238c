import { type Context, commandFunction } from "../../command-function.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { ListenFlags } from "../../listening/flags.ts";
import { listenError, serveUntilSignal } from "../../listening/listening.ts";
import { npmParent, type ParentProcess, parentEnd } from "../../listening/parent-process.ts";
import { optionalPackage } from "../../optional-package.ts";

export interface MockFlags extends ListenFlags {
  readonly open: boolean;
  readonly strict: boolean;
  readonly seed?: number;
  readonly clock: "ticking" | "auto" | "still";
  readonly stubs?: string;
  readonly parent?: ParentProcess;
  readonly ledger?: string;
  readonly allowedHosts?: readonly string[];
}

export const runMock = commandFunction(async (context: Context, flags: MockFlags) => {
  const load = <Module>(name: string) => optionalPackage<Module>("mock", name, context.process.cwd());
  const { createLedger, createMockServer } = await load<typeof import("@quern/mock-server")>("@quern/mock-server");
  const { listen } = await load<typeof import("@quern/mock-server/listen")>("@quern/mock-server/listen");
  const { env, pid } = context.process;
  async function readStubs(folder: string) {
    const { stubsFrom } = await load<typeof import("@quern/mock-server/files")>("@quern/mock-server/files");
    try {
      return stubsFrom(folder);
    } catch (error) {
      throw new UsageError(`cannot read the stubs: ${error instanceof Error ? error.message : error}`);
    }
  }
  const ledger = flags.ledger === undefined ? undefined : createLedger();
  const configuredKey = env.QUERN_API_KEY?.trim();
  const mock = createMockServer({
    // Clients without the admin API cannot advance the clock, so it ticks by default.
    clock: { ticking: flags.clock === "ticking", auto: flags.clock === "auto" },
    open: flags.open,
    strict: flags.strict,
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(flags.stubs !== undefined && { stubs: await readStubs(flags.stubs) }),
    ...(ledger && { ledger }),
    ...(configuredKey && { apiKey: configuredKey }),
  });
  const { apiKey } = mock;
  const { port, host, allowedHosts } = flags;
  const options = { port, host, ...(allowedHosts && { allowedHosts }) };
  const { url, adminUrl, close } = await listen(mock, options).catch((error: unknown) =>
    Promise.reject(listenError(error, flags)),
  );
  const lines = [`quern listening on ${url}`, `admin API at ${adminUrl}/json-rpc`, `api key: ${apiKey}`];
  const announcement = { json: { url, adminUrl, apiKey, pid }, lines };
  const parents = [flags.parent, npmParent(context.process)];
  const ended = Promise.race(parents.map((parent) => parentEnd(parent, context.process)));
  await serveUntilSignal({ announcement, close, ended }, context, flags.json);
  if (ledger === undefined || flags.ledger === undefined) return;
  const { saveLedger } = await load<typeof import("@quern/mock-server/files")>("@quern/mock-server/files");
  saveLedger(flags.ledger, ledger.ledger());
});
