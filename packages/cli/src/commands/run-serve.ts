import { UsageError } from "../cli-error.ts";
import { commandFunction } from "../command-function.ts";
import type { Context } from "../context.ts";
import { optionalPackage } from "../optional-package.ts";
import { type ListenFlags, listenError, serveUntilSignal } from "./listening.ts";

export interface ServeFlags extends ListenFlags {
  readonly dataDir: string;
  readonly strictSandbox: boolean;
}

export const runServe = commandFunction(async (context: Context, flags: ServeFlags) => {
  const folder = context.process.cwd();
  const { createServer } = await optionalPackage<typeof import("@quern/server")>("serve", "@quern/server", folder);
  const apiKey = context.process.env.QUERN_API_KEY || undefined;
  const { dataDir, strictSandbox } = flags;
  const server = await createServer({ dataDir, apiKey, strictSandbox }).catch((error: unknown) =>
    Promise.reject(openError(error)),
  );
  try {
    const { url } = await server.listen(flags.port, flags.host);
    await serveUntilSignal({ url, madeKey: server.firstKey, close: server.close }, context, flags.json);
  } catch (error) {
    await server.close();
    throw listenError(error, flags);
  }
});

/** What keeps the service from opening its directory is told by its own words; a fault of the system has a code. */
function openError(error: unknown): unknown {
  return error instanceof Error && !("code" in error) ? new UsageError(error.message) : error;
}
