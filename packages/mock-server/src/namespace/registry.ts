import type { RequestHeaders } from "@quern/json-rpc/handler";
import { apiKeyOf } from "../wire/exchange.ts";
import { createNamespace, type Namespace } from "./namespace.ts";
import type { NamespaceOptions } from "./options.ts";

/** Namespaces of one mock by their API keys. */
export interface NamespaceRegistry {
  /** @throws RangeError where the key has a namespace. */
  mint(apiKey: string, options: NamespaceOptions): Namespace;
  has(apiKey: string): boolean;
  /** Keys of all namespaces, the oldest first. */
  keys(): readonly string[];
  /** The one of a key; undefined where there is none. */
  find(apiKey: string): Namespace | undefined;
  /** Returns the namespace of a request's key, as `x-api-key` or as a bearer token. */
  of(headers: RequestHeaders): Namespace | undefined;
  /** Ends it; from then on its key is unknown. */
  dispose(apiKey: string): void;
}

/** @param unknown Options of the namespaces that unknown keys get on first use; without it, they get none. */
export function createRegistry(unknown?: NamespaceOptions): NamespaceRegistry {
  const byKey = new Map<string, Namespace>();

  function mint(apiKey: string, options: NamespaceOptions): Namespace {
    if (byKey.has(apiKey)) throw new RangeError(`there is a namespace with the key ${JSON.stringify(apiKey)}`);
    const namespace = createNamespace(options);
    byKey.set(apiKey, namespace);
    return namespace;
  }

  function find(apiKey: string): Namespace | undefined {
    return byKey.get(apiKey) ?? (unknown && mint(apiKey, unknown));
  }

  return {
    mint,
    keys: () => [...byKey.keys()],
    has: (apiKey) => byKey.has(apiKey),
    find,
    of(headers) {
      const apiKey = apiKeyOf(headers);
      return apiKey === undefined ? undefined : find(apiKey);
    },
    dispose(apiKey) {
      byKey.get(apiKey)?.end();
      byKey.delete(apiKey);
    },
  };
}
