import { UsageError } from "../errors/cli-error.ts";
import { isHttpAddress } from "../http-address.ts";

const names = ["https_proxy", "http_proxy", "no_proxy"] as const;

type ProxyEnv = Readonly<Partial<Record<(typeof names)[number], string | undefined>>>;

/** The members of `node:http` and `node:https` that hold the proxies. Their types do not declare the proxies yet. */
interface HttpModule {
  globalAgent: object;
  readonly Agent: new (options: { readonly keepAlive: boolean; readonly proxyEnv: object }) => object;
}

/**
 * Sends the requests of this process through the proxies of the environment, as Node does with NODE_USE_ENV_PROXY=1. Loads no
 * module if there are none.
 * @throws {UsageError} The address of a proxy is invalid.
 */
export function useProxies(env: Readonly<NodeJS.ProcessEnv>): void {
  const proxyEnv: ProxyEnv = Object.fromEntries(names.map((name) => [name, env[name] ?? env[name.toUpperCase()]]));
  const addresses = names.slice(0, 2).filter((name) => proxyEnv[name]);
  for (const name of addresses) checkAddress(name.toUpperCase(), proxyEnv[name] ?? "");
  if (addresses.length > 0) useAgents(proxyEnv);
}

/** Sends the requests of this process through one proxy, except those to the hosts of NO_PROXY. */
export function useProxy(address: string, env: Readonly<NodeJS.ProcessEnv>): void {
  useAgents({ https_proxy: address, http_proxy: address, no_proxy: env.no_proxy ?? env.NO_PROXY });
}

function useAgents(proxyEnv: ProxyEnv): void {
  for (const name of ["node:http", "node:https"]) {
    const module = process.getBuiltinModule(name) as HttpModule;
    module.globalAgent = new module.Agent({ keepAlive: true, proxyEnv });
  }
}

function checkAddress(name: string, text: string): void {
  if (isHttpAddress(text)) return;
  throw new UsageError(
    `invalid ${name}: expected the address of a proxy such as http://proxy.example.org:3128, got ${JSON.stringify(text)}`,
  );
}
