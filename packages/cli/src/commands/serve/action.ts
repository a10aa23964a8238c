import { resolve } from "node:path";
import { type Context, commandFunction } from "../../command-function.ts";
import { readSettings, serveDefaults } from "../../data-directory/configuration.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { JsonFlag } from "../../flags.ts";
import { openInBrowser } from "../../listening/browser.ts";
import { listenError, serveUntilSignal } from "../../listening/listening.ts";
import { npmParent, parentEnd } from "../../listening/parent-process.ts";
import { optionalPackage } from "../../optional-package.ts";
import { write } from "../../output/target.ts";

export interface ServeFlags extends JsonFlag {
  readonly dataDir?: string;
  readonly port?: number;
  readonly host?: string;
  readonly strictSandbox: boolean;
  readonly allowedHosts?: string;
  readonly open: boolean;
  readonly config?: string;
  readonly set?: readonly (readonly [name: string, value: string])[];
}

type Service = typeof import("@quern/server");

const ignore = (): void => {};

export const runServe = commandFunction(async (context: Context, flags: ServeFlags) => {
  const { cwd } = context.process;
  // Without a handler, Node opens a debugger at this signal, through which any program of the machine could run code.
  process.off("SIGUSR1", ignore).on("SIGUSR1", ignore);
  const service = await optionalPackage<Service>("serve", "@quern/server", cwd());
  const settings = await readSettings(service, context, flags.config, settingsOf(flags));
  const { port, host, dataDir, logLevel, ...options } = { ...serveDefaults, ...settings };
  const log = service.createLog({ level: logLevel });
  const server = await service
    .createServer({
      ...options,
      dataDir: resolve(cwd(), dataDir),
      log,
    })
    .catch((error: unknown) => Promise.reject(openError(error)));
  const { firstKey, close } = server;
  const key = firstKey === undefined ? [] : [`api key, shown only once: ${firstKey}`];
  const { url } = await server.listen(port, host).catch(async (error: unknown) => {
    await close();
    // The key is valid, and the next start does not print it.
    if (firstKey !== undefined)
      await write(context.process.stdout, flags.json ? `${JSON.stringify({ apiKey: firstKey })}\n` : `${key}\n`);
    throw listenError(error, { port, host });
  });
  try {
    const consoleUrl = flags.open ? signInLink(server, context) : undefined;
    const link = consoleUrl === undefined ? [] : [`console: ${consoleUrl}`];
    const announcement = {
      json: { url, apiKey: firstKey, consoleUrl },
      lines: [`quern listening on ${url}`, ...key, ...link],
    };
    if (consoleUrl !== undefined && context.process.stdout.isTTY) openInBrowser(consoleUrl, context.process.env);
    const ended = parentEnd(npmParent(context.process), context.process);
    // During the delay, a second signal closes the server at once.
    const hurry = options.shutdownDelaySeconds ? () => void close() : undefined;
    // Lines of the audit log on stdout are JSON, so the address is too.
    const json = flags.json || options.audit?.stdout === true;
    await serveUntilSignal({ announcement, close, ended, ...(hurry && { hurry }) }, context, json);
  } catch (error) {
    await close();
    throw error;
  }
});

/** Returns a sign-in link. Without a console, or on an address that is not loopback, the service runs without one. */
function signInLink(
  server: Pick<Awaited<ReturnType<Service["createServer"]>>, "signInLink">,
  { process }: Context,
): string | undefined {
  try {
    return server.signInLink();
  } catch (error) {
    process.stderr.write(`quern: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

function settingsOf({
  dataDir,
  port,
  host,
  strictSandbox,
  allowedHosts,
  set = [],
}: ServeFlags): Record<string, string | undefined> {
  const named = {
    dataDir,
    port: port?.toString(),
    host,
    strictSandbox: strictSandbox ? "true" : undefined,
    allowedHosts,
  };
  return { ...named, ...Object.fromEntries(set) };
}

/** Converts errors of `createServer` to usage errors, such as a data directory in use. Errors of the system, which have a code, stay. */
function openError(error: unknown): unknown {
  return error instanceof Error && !("code" in error) ? new UsageError(error.message) : error;
}
