import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { StoreFlags, StoreListFlags } from "../../data-directory/flags.ts";
import { withNewDirectory } from "../../data-directory/new-directory.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { parseDateMs, parseDurationMs } from "../../flags.ts";
import { timeText, writeDone, writeRows } from "../../output/rows.ts";
import { write } from "../../output/target.ts";

export interface IssueFlags extends StoreFlags {
  readonly tenant?: string;
  readonly user?: string;
  readonly scopes?: string;
  readonly sources?: string;
  readonly origins?: string;
  readonly network?: readonly string[];
  readonly expires?: string;
}

export interface RotateFlags extends StoreFlags {
  readonly keep?: string;
}

export const runIssue = commandFunction(async (context: Context, flags: IssueFlags) => {
  const { tenant, user, network: networks, expires } = flags;
  const lists = { scopes: listOf(flags.scopes), sources: listOf(flags.sources), origins: listOf(flags.origins) };
  const expiresAt = expires === undefined ? undefined : timeOf(expires);
  const options = { tenant, user, ...lists, networks, expiresAt };
  await showNewKey(context, flags, () =>
    withNewDirectory(context, flags, () =>
      administer("keys", context, flags, ({ issueKey }, dataDir) => issueKey({ dataDir, ...options })),
    ),
  );
});

export const runRotate = commandFunction(async (context: Context, flags: RotateFlags, id: string) => {
  const { keep } = flags;
  const keepMs = keep === undefined ? 0 : parseDurationMs(keep);
  if (keepMs === undefined)
    throw new UsageError(`invalid --keep: expected a time such as 1h or 7d, got ${JSON.stringify(keep)}`);
  await showNewKey(context, flags, () =>
    administer("keys", context, flags, ({ rotateKey }, service) => rotateKey(service, id, keepMs)),
  );
});

export const runRevoke = commandFunction(async (context: Context, flags: StoreFlags, id: string) => {
  await administer("keys", context, flags, ({ revokeKey }, service) => revokeKey(service, id));
  await writeDone(context, flags, "revoked", [id]);
});

export const runRevokeLinks = commandFunction(async (context: Context, flags: StoreFlags) => {
  await administer("keys", context, flags, ({ revokeLinks }, service) => revokeLinks(service));
  await writeDone(context, flags, "revoked", ["all download links"]);
});

export const runListKeys = commandFunction(async (context: Context, flags: StoreListFlags) => {
  const keys = await administer("keys", context, flags, ({ listKeys }, service) => listKeys(service));
  const rows = keys.map((key) => ({
    id: key.id,
    tenant: key.tenantId,
    user: key.userId,
    state: key.state,
    ends_with: key.lastFour,
    scopes: key.scopes.join(","),
    sources: key.sources?.join(",") ?? null,
    origins: key.origins?.join(",") ?? null,
    networks: key.networks?.join(",") ?? null,
    created_at: timeText(key.createdAt),
    expires_at: timeText(key.expiresAt),
    last_used_at: timeText(key.lastUsedAt),
  }));
  const names = ["id", "tenant", "user", "state", "ends_with", "scopes", "sources", "origins", "networks"];
  await writeRows(context, flags, [...names, "created_at", "expires_at", "last_used_at"], rows);
});

interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** Makes a key and prints it, also if a step after the change of the store fails: a key can be shown only once. */
async function showNewKey(context: Context, flags: StoreFlags, make: () => Promise<IssuedKey>): Promise<void> {
  const issued = await make().catch(async (error: unknown) => {
    if (isUnfinished(error)) await show(context, flags, error.result);
    throw error;
  });
  await show(context, flags, issued);
}

/** Tests by the name of the error, because the package of the service is loaded on demand. */
function isUnfinished(error: unknown): error is Error & { readonly result: IssuedKey } {
  return error instanceof Error && error.name === "UnfinishedChangeError" && "result" in error;
}

/** Prints a new key. Without `--json`, stdout has only the key, so that a script can capture it. */
async function show({ process }: Context, { json }: StoreFlags, issued: IssuedKey): Promise<void> {
  if (json) return write(process.stdout, `${JSON.stringify(issued)}\n`);
  process.stderr.write(`key ${issued.id}, shown only once:\n`);
  await write(process.stdout, `${issued.key}\n`);
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").map((part) => part.trim());
}

function timeOf(text: string): number {
  const duration = parseDurationMs(text);
  const time = duration === undefined ? parseDateMs(text) : Date.now() + duration;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`invalid --expires: expected a date, or a time such as 12h or 90d, got ${JSON.stringify(text)}`);
}
