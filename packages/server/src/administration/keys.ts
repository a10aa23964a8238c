import { randomBytes } from "node:crypto";
import type { KeyRecord, Scope } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { generateApiKey, hashApiKey } from "../identity/api-key.ts";
import { firstTenant } from "../identity/first-key.ts";
import { scopes as allScopes, isScope } from "../identity/scope.ts";
import { AdministrationError, inDataDirectory, type OpenDirectory } from "./open-directory.ts";

export interface NewKey {
  readonly dataDir: string;
  /** That of the first key where left out. */
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  /** `run`, `read` and `cancel` where left out. */
  readonly scopes?: readonly string[] | undefined;
  /** All sources where left out. */
  readonly sources?: readonly string[] | undefined;
  /** All origins where left out. */
  readonly origins?: readonly string[] | undefined;
  /** Never where left out. */
  readonly expiresAt?: Instant | undefined;
}

/** A key that was made: `key` is kept nowhere, so show it once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** Makes a key for a user. It works at once, also on a server that runs. @throws {AdministrationError} */
export async function issueKey({ dataDir, ...options }: NewKey): Promise<IssuedKey> {
  const { tenant = firstTenant.tenantId, user = firstTenant.userId, expiresAt = null } = options;
  const restrictions = {
    scopes: toScopes(options.scopes ?? ["run", "read", "cancel"]),
    sources: options.sources ?? null,
    origins: toOrigins(options.origins),
  };
  const tenantId = toName("tenant", tenant);
  const userId = toName("user", user);
  const issue = async ({ keys, tenants, now, audit }: OpenDirectory) => {
    if (expiresAt !== null && expiresAt <= now)
      throw new AdministrationError("the key would have expired already; choose a later --expires");
    await tenants.set(tenantId, {});
    const issued = newKey();
    await keys.add({ ...issued.record, tenantId, userId, ...restrictions, expiresAt });
    audit({ action: "key.issue", tenantId, userId, issuedKeyId: issued.record.id, ...restrictions, expiresAt });
    return { id: issued.record.id, key: issued.key };
  };
  return inDataDirectory(dataDir, issue, { make: true });
}

/** Makes a key with the user and the rights of another one, which ends now or after `keepMs`. @throws {AdministrationError} */
export function rotateKey(dataDir: string, id: string, keepMs = 0): Promise<IssuedKey> {
  return inDataDirectory(dataDir, async ({ keys, audit }) => {
    const old = knownKey(await keys.all(), id);
    if (old.revokedAt !== null) throw new AdministrationError(`key ${id} is revoked; issue another`);
    if (old.origin === "environment")
      throw new AdministrationError(
        `key ${id} follows QUERN_API_KEY; set another one there and start the service anew`,
      );
    const issued = newKey();
    const { tenantId, userId, scopes, sources, origins, expiresAt } = old;
    await keys.add({ ...issued.record, tenantId, userId, scopes, sources, origins, expiresAt });
    if (keepMs > 0) await keys.expire(id, keepMs);
    else await keys.revoke(id);
    audit({ action: "key.rotate", tenantId, userId, issuedKeyId: issued.record.id, endedKeyId: id, keepMs });
    return { id: issued.record.id, key: issued.key };
  });
}

/** Ends a key at once and for good: no server starts with it in QUERN_API_KEY any more. @throws {AdministrationError} */
export function revokeKey(dataDir: string, id: string): Promise<void> {
  return inDataDirectory(dataDir, async ({ keys, audit }) => {
    const { tenantId, userId } = knownKey(await keys.all(), id);
    await keys.revoke(id);
    audit({ action: "key.revoke", tenantId, userId, endedKeyId: id });
  });
}

/** A key as an operator sees it. */
export type ListedKey = Omit<KeyRecord, "hash" | "replaced">;

export function listKeys(dataDir: string): Promise<readonly ListedKey[]> {
  return inDataDirectory(dataDir, async ({ keys }) => {
    const all = await keys.all();
    return all.map(({ hash: _hash, replaced: _replaced, ...key }) => key);
  });
}

function newKey() {
  const key = generateApiKey();
  const id = `key_${randomBytes(6).toString("hex")}`;
  const record = { id, hash: hashApiKey(key), lastFour: key.slice(-4), origin: "issued" } as const;
  return { key, record };
}

function knownKey(keys: readonly KeyRecord[], id: string): KeyRecord {
  const key = keys.find((each) => each.id === id);
  if (key === undefined) throw new AdministrationError(`there is no key ${id}; \`quern keys list\` shows their ids`);
  return key;
}

function toScopes(texts: readonly string[]): readonly Scope[] {
  const unknown = texts.find((text) => !isScope(text));
  if (unknown !== undefined || texts.length === 0)
    throw new AdministrationError(`expected scopes among ${allScopes.join(", ")}, received ${unknown ?? "none"}`);
  return texts.filter(isScope);
}

export function toName(what: string, text: string): string {
  if (/^[A-Za-z0-9][\w.@+-]{0,127}$/.test(text)) return text;
  throw new AdministrationError(
    `expected a ${what} of letters, digits and . _ @ + -, received ${JSON.stringify(text)}`,
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
