import type { RequestHeaders } from "@quern/json-rpc/handler";
import { apiKeyOf } from "../wire/exchange.ts";
import { createNamespaceState, type NamespaceState } from "./namespace-state.ts";
import type { NamespaceOptions } from "./options.ts";

/** Namespaces of one mock by their API keys. */
export interface NamespaceRegistry {
  /** @throws RangeError if the key has a namespace. */
  create(apiKey: string, options: NamespaceOptions): NamespaceState;
  has(apiKey: string): boolean;
  /** Keys of all namespaces, the oldest first. */
  keys(): readonly string[];
  /** Returns the namespace of a key. For an unknown key, an open mock creates one; any other mock returns undefined. */
  find(apiKey: string): NamespaceState | undefined;
  /** Returns the namespace of a request by its `x-api-key` or bearer token. */
  forRequest(headers: RequestHeaders): NamespaceState | undefined;
  /** Ends a namespace; its key becomes unknown. */
  dispose(apiKey: string): void;
}

/** @param openOptions Options of the namespaces that unknown keys get at their first use. @default unknown keys get none */
export function createRegistry(openOptions?: NamespaceOptions): NamespaceRegistry {
  const byKey = new Map<string, NamespaceState>();

  function create(apiKey: string, options: NamespaceOptions): NamespaceState {
    if (byKey.has(apiKey))
      throw new RangeError(
        `API key already has a namespace: ${JSON.stringify(apiKey)}; use another key, or dispose of the namespace`,
      );
    const namespace = createNamespaceState(options);
    byKey.set(apiKey, namespace);
    return namespace;
  }

  function find(apiKey: string): NamespaceState | undefined {
    return byKey.get(apiKey) ?? (openOptions && create(apiKey, openOptions));
  }

  return {
    create,
    keys: () => [...byKey.keys()],
    has: (apiKey) => byKey.has(apiKey),
    find,
    forRequest(headers) {
      const apiKey = apiKeyOf(headers);
      return apiKey === undefined ? undefined : find(apiKey);
    },
    dispose(apiKey) {
      byKey.get(apiKey)?.end();
      byKey.delete(apiKey);
    },
  };
}
