import type { RequestHeaders } from "@quern/json-rpc/handler";
import { createNamespace, type Namespace, type NamespaceOptions } from "./namespace.ts";

/** The namespaces of one mock, each by its API key. */
export interface Namespaces {
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

/** Returns the key of a request: `x-api-key` or, without that header, the token of `Authorization: Bearer`. */
export function apiKeyOf(headers: RequestHeaders): string | undefined {
  return headers.get("x-api-key") || /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** `unknown` has the options of those that are made for keys nobody has minted; without it there are none. */
export function createNamespaces(unknown?: NamespaceOptions): Namespaces {
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
