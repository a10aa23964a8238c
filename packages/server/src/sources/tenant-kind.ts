import { type Query, type Source, type SourceKind, StatementError } from "@quern/adapter";

const tenantPlaceholder = "{tenant}";
const userPlaceholder = "{user}";

/** `{tenant}` and `{user}` in one part of an address, with a separator. */
const pairInAddress = pairOf("(?:[\\w.~!$*,;|-]|%[0-7][\\dA-Fa-f])+");
const pairInPath = pairOf("[^{}]+");

/** Texts of a source with placeholders. */
function passwordsOf({ address = "", password }: Source): readonly (readonly [text: string, pair: RegExp])[] {
  const file = password !== undefined && "file" in password ? password.file : "";
  return [
    [address, pairInAddress],
    [file, pairInPath],
  ];
}

function pairOf(separator: string): RegExp {
  return new RegExp(`\\{(tenant|user)\\}(${separator})\\{(?!\\1)(?:tenant|user)\\}`, "g");
}

/**
 * Checks that users of two tenants cannot have the same login on the engine of a source.
 * @throws {Error} one line, if they could
 */
export function checkTenants(source: Source): void {
  const { name, address, runAs, tenant } = source;
  if (runAs !== "user" || tenant !== undefined || address === undefined) return;
  const isAmbiguous = passwordsOf(source).some(([text, pair]) => text.replaceAll(pair, "").includes(userPlaceholder));
  if (!isAmbiguous && address.search(pairInAddress) >= 0) return;
  throw new Error(
    `Invalid data source ${name}: users with the same id in two tenants would have one login on its engine; ` +
      "write {tenant} beside {user}, such as {tenant}.{user}, or name the only tenant with --tenant, or as tenant in the setting sources.",
  );
}

/** Caller of a query. */
type Caller = Pick<Query, "tenantId" | "userId">;

/**
 * Returns the source for the calls of a tenant: its id replaces `{tenant}` in the address and in the path of the password.
 * @throws {StatementError} if the source is of another tenant, or two callers could have the same login
 */
export function sourceOf(source: Source, { tenantId, userId }: Caller): Source {
  const { name, tenant } = source;
  const refused = (reason: string): StatementError =>
    new StatementError({
      name: "AccessDenied",
      message: `The user ${JSON.stringify(userId)} of the tenant ${JSON.stringify(tenantId)} cannot query the data source ${name}: ${reason}.`,
      data: { category: "USER", retryable: false },
    });
  if (tenant !== undefined && tenant !== tenantId) throw refused("it is for another tenant");
  const passwords = passwordsOf(source);
  if (!passwords.some(([text]) => text.includes(tenantPlaceholder))) return source;
  if (!/^(?!\.+$)[\w.@-]{1,63}$/.test(tenantId))
    throw refused(
      'the id of the tenant must have up to 63 ASCII letters, digits, "_", ".", "@" or "-", and not only dots',
    );
  // The first id ends where the separator begins, so that no two pairs of ids are the same text.
  for (const [, first, separator = ""] of passwords.flatMap(([text, pair]) => [...text.matchAll(pair)])) {
    const sign = separator.startsWith("%") ? decodeURIComponent(separator.slice(0, 3)) : separator.charAt(0);
    if ((first === "tenant" ? tenantId : userId).includes(sign))
      throw refused(`the id of the ${first} has ${sign}, which separates {tenant} and {user} in the source`);
  }
  return withTenant(source, tenantId);
}

/** Replaces `{tenant}` in a source. */
export function withTenant(source: Source, tenantId: string): Source {
  const { address, password } = source;
  return {
    ...source,
    ...(address !== undefined && { address: address.replaceAll(tenantPlaceholder, encodeURIComponent(tenantId)) }),
    ...(password !== undefined &&
      "file" in password && { password: { file: password.file.replaceAll(tenantPlaceholder, tenantId) } }),
  };
}

/** Lets a source kind serve sources for several tenants: each call gets the source of its tenant. */
export function forTenants(kind: SourceKind): SourceKind {
  const ofTenant = <Call extends Caller & Pick<Query, "source">>(query: Call): Call => {
    try {
      checkTenants(query.source);
    } catch (error) {
      throw invalidSource(query.source, error);
    }
    return { ...query, source: sourceOf(query.source, query) };
  };
  return {
    revision: (source) => kind.revision(source),
    hold: (source) => kind.hold(source),
    describe: async (query, signal) => kind.describe(ofTenant(query), signal),
    begin: async (statement, signal) => kind.begin(ofTenant(statement), signal),
    cancel: async (source, ...query) => {
      const [, owner] = query;
      await kind.cancel(owner === undefined ? source : sourceOf(source, owner), ...query);
    },
    ...(kind.tables && { tables: async (query, signal) => (await kind.tables?.(ofTenant(query), signal)) ?? [] }),
    ...(kind.complete && {
      complete: async (query, position, signal) => (await kind.complete?.(ofTenant(query), position, signal)) ?? [],
    }),
    ...(kind.checkRole && { checkRole: async (source, signal) => kind.checkRole?.(source, signal) }),
    close: () => kind.close(),
  };
}

/** Error of a run on a source that cannot be used as it is configured. The message is that of the check. */
export function invalidSource({ name }: Source, error: unknown): StatementError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StatementError({
    name: "InvalidDataSource",
    message: `The data source ${name} cannot be used: ${reason}`,
    data: { category: "DATA_SOURCE", retryable: false },
  });
}
