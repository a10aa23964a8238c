import type { KeyRecord, Scope } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { revokeLinks as revokeLinksIn } from "../downloads/link.ts";
import { firstTenant, generateApiKey, keyRecordOf } from "../identity/api-key.ts";
import { networkFault } from "../identity/network.ts";
import { scopes as allScopes, isScope } from "../identity/principal.ts";
import {
  AdministrationError,
  type ChangedDirectory,
  changeDataDirectory,
  inDataDirectory,
  type ServiceLocation,
} from "./open-directory.ts";

export interface NewKey {
  readonly dataDir: ServiceLocation;
  /** @default the tenant of the first key */
  readonly tenant?: string | undefined;
  /** @default the user of the first key */
  readonly user?: string | undefined;
  /** @default ["run", "read", "cancel"] */
  readonly scopes?: readonly string[] | undefined;
  /** Data sources that the key may query. @default all */
  readonly sources?: readonly string[] | undefined;
  /** Web origins that the key may be used from. @default all */
  readonly origins?: readonly string[] | undefined;
  /** Networks in CIDR notation that the key may be used from. @default all */
  readonly networks?: readonly string[] | undefined;
  /** @default never */
  readonly expiresAt?: Instant | undefined;
}

/** New key. `key` is not stored, so it can be shown only once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/**
 * Creates a key for a user. A running server accepts it at once. Creates the data directory and the tenant if they do
 * not exist.
 * @throws {AdministrationError} if a name, scope, origin or network is invalid, or the expiry is in the past
 * @throws {UnfinishedChangeError} with the new key, if it is stored and a later step has failed
 */
export async function issueKey({ dataDir, ...options }: NewKey): Promise<IssuedKey> {
  const { tenant = firstTenant.tenantId, user = firstTenant.userId, expiresAt = null } = options;
  const restrictions = {
    scopes: toScopes(options.scopes ?? ["run", "read", "cancel"]),
    sources: options.sources ?? null,
    origins: toOrigins(options.origins),
    networks: toNetworks(options.networks),
  };
  const tenantId = toName("tenant", tenant);
  const userId = toName("user", user);
  const issue = async ({ keys, tenants, now, audit }: ChangedDirectory) => {
    if (expiresAt !== null && expiresAt <= now)
      throw new AdministrationError(
        `the expiry is in the past: ${new Date(expiresAt).toISOString()}; choose a later --expires, such as 90d`,
      );
    await tenants.set(tenantId, {});
    const issued = newKey();
    await keys.add({ ...issued.record, tenantId, userId, ...restrictions, expiresAt });
    await audit({ action: "key.issue", tenantId, userId, issuedKeyId: issued.record.id, ...restrictions, expiresAt });
    return { id: issued.record.id, key: issued.key };
  };
  return changeDataDirectory(dataDir, issue, { make: true });
}

/**
 * Creates a key with the user, rights and expiry of an old key, and revokes the old key at once or lets it expire after
 * `keepMs`.
 * @param keepMs milliseconds for which the old key remains valid at most. @default 0
 * @throws {AdministrationError} if there is no data directory, or the old key is unknown, revoked, or the configured
 * one (QUERN_API_KEY or the option `apiKey`)
 * @throws {UnfinishedChangeError} with the new key, if it is stored and a later step has failed
 */
export function rotateKey(service: ServiceLocation, id: string, keepMs = 0): Promise<IssuedKey> {
  return changeDataDirectory(service, async ({ keys, audit, finish }) => {
    const old = knownKey(await keys.all(), id);
    if (old.revokedAt !== null)
      throw new AdministrationError(`key ${id} is revoked; issue another key with \`quern keys issue\``);
    if (old.origin === "environment")
      throw new AdministrationError(
        `key ${id} is the configured one; set QUERN_API_KEY to another key, and restart the service`,
      );
    const issued = newKey();
    const { tenantId, userId, scopes, sources, origins, networks, expiresAt } = old;
    const rights = { scopes, sources, origins, networks, expiresAt };
    await keys.add({ ...issued.record, tenantId, userId, ...rights });
    await finish(`the key ${id} is still valid`, () => (keepMs > 0 ? keys.expire(id, keepMs) : keys.revoke(id)));
    await audit({ action: "key.rotate", tenantId, userId, issuedKeyId: issued.record.id, endedKeyId: id, keepMs });
    return { id: issued.record.id, key: issued.key };
  });
}

/**
 * Revokes a key. Servers refuse it at once, those of a shared store within `storeCacheSeconds`. A server whose
 * QUERN_API_KEY is a revoked key does not start.
 * @throws {AdministrationError} if there is no data directory, or the key is unknown
 */
export function revokeKey(service: ServiceLocation, id: string): Promise<void> {
  return changeDataDirectory(service, async ({ keys, audit }) => {
    const { tenantId, userId } = knownKey(await keys.all(), id);
    await keys.revoke(id);
    await audit({ action: "key.revoke", tenantId, userId, endedKeyId: id });
  });
}

/** Stored key without its hash and the internal member `replaced`. */
export type ListedKey = Omit<KeyRecord, "hash" | "replaced">;

/** Lists all keys, the oldest first. @throws {AdministrationError} if there is no data directory */
export function listKeys(service: ServiceLocation): Promise<readonly ListedKey[]> {
  return inDataDirectory(service, async ({ keys }) => {
    const all = await keys.all();
    return all.map(({ hash: _hash, replaced: _replaced, ...key }) => key);
  });
}

/**
 * Revokes all download links at once, also on a running server. Signed addresses of a bucket, to which links have been
 * redirected, stay valid until they expire.
 * @throws {AdministrationError} if there is no data directory
 */
export function revokeLinks(service: ServiceLocation): Promise<void> {
  return changeDataDirectory(service, async ({ settings, audit }) => {
    await revokeLinksIn(settings);
    await audit({ action: "links.revoke", tenantId: null, userId: null });
  });
}

function newKey() {
  const key = generateApiKey();
  return { key, record: keyRecordOf(key, "issued") };
}

function knownKey(keys: readonly KeyRecord[], id: string): KeyRecord {
  const key = keys.find((each) => each.id === id);
  if (key === undefined) {
    // A key that was passed instead of its id stays out of the message, which logs may keep.
    const text = id.startsWith("qk_") ? "expected the id of a key, received a key" : `unknown key: ${id}`;
    throw new AdministrationError(`${text}; \`quern keys list\` prints the ids`);
  }
  return key;
}

function toScopes(texts: readonly string[]): readonly Scope[] {
  const unknown = texts.find((text) => !isScope(text));
  if (unknown !== undefined || texts.length === 0)
    throw new AdministrationError(
      `expected one or more scopes of ${allScopes.join(", ")}, received ${unknown ?? "none"}`,
    );
  return texts.filter(isScope);
}

/** Returns the name of a tenant or user. @throws {AdministrationError} if it is invalid */
export function toName(what: string, text: string): string {
  if (/^[A-Za-z0-9][\w.@+-]{0,127}$/.test(text)) return text;
  throw new AdministrationError(
    `invalid ${what}: ${JSON.stringify(text)}; use at most 128 letters, digits and . _ @ + -, and begin with a letter or digit`,
  );
}

function toOrigins(texts: readonly string[] | undefined): readonly string[] | null {
  if (texts === undefined) return null;
  for (const text of texts) {
    if (URL.canParse(text) && new URL(text).origin === text) continue;
    throw new AdministrationError(
      `expected an origin such as https://app.example.com, received ${JSON.stringify(text)}`,
    );
  }
  return texts;
}

function toNetworks(texts: readonly string[] | undefined): readonly string[] | null {
  const fault = texts?.map(networkFault).find((each) => each !== undefined);
  if (fault !== undefined) throw new AdministrationError(fault);
  return texts ?? null;
}
