import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "../cli-error.ts";
import { commandFunction, type JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { optionalPackage } from "../optional-package.ts";
import { listenError, serveUntilSignal } from "./listening.ts";

export interface ServeFlags extends JsonFlag {
  readonly dataDir?: string;
  readonly port?: number;
  readonly host?: string;
  readonly strictSandbox: boolean;
  readonly config?: string;
  readonly set?: readonly (readonly [name: string, value: string])[];
}

type Service = typeof import("@quern/server");
type Configuration = ReturnType<Service["readConfiguration"]>;

export const runServe = commandFunction(async (context: Context, flags: ServeFlags) => {
  const { env, cwd } = context.process;
  const service = await optionalPackage<Service>("serve", "@quern/server", cwd());
  const {
    port = 8080,
    host = "127.0.0.1",
    dataDir = "quern-data",
    logLevel,
    ...options
  } = await configure(service, context, flags);
  const log = service.createLog({ level: logLevel ?? "error" });
  const server = await service
    .createServer({ ...options, dataDir: resolve(cwd(), dataDir), apiKey: env.QUERN_API_KEY || undefined, log })
    .catch((error: unknown) => Promise.reject(openError(error)));
  try {
    const { url } = await server.listen(port, host);
    await serveUntilSignal({ url, madeKey: server.firstKey, close: server.close }, context, flags.json);
  } catch (error) {
    await server.close();
    throw listenError(error, { port, host });
  }
});

/** The flags over the environment over the file. */
async function configure(service: Service, { process }: Context, flags: ServeFlags): Promise<Configuration> {
  const name = flags.config ?? process.env.QUERN_CONFIG;
  const file = name ? { name, text: await readConfigurationFile(resolve(process.cwd(), name)) } : undefined;
  const { dataDir, port, host, strictSandbox, set = [] } = flags;
  const named = { dataDir, port, host, strictSandbox: strictSandbox || undefined };
  const given = Object.entries(named).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  try {
    return service.readConfiguration({ file, env: process.env, flags: Object.fromEntries([...given, ...set]) });
  } catch (error) {
    throw error instanceof service.ConfigurationError ? new UsageError(error.message) : error;
  }
}

async function readConfigurationFile(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => {
    throw new UsageError(`cannot read the configuration file ${path}`);
  });
}

/** What keeps the service from opening its directory is told by its own words; a fault of the system has a code. */
function openError(error: unknown): unknown {
  return error instanceof Error && !("code" in error) ? new UsageError(error.message) : error;
}
