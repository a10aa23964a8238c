import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  type Execution,
  isStatementError,
  type SecretPlace,
  type Source,
  type SourceConfiguration,
} from "@quern/adapter";
import { engineSourcesOf } from "@quern/duckdb";
import { addEngineSource, type CheckedTable, SourceError, type SourceLocation } from "@quern/duckdb/loading";
import { createAdapterKind } from "../sources/adapter-kind.ts";
import { checkSourceAddress } from "../sources/address.ts";
import { toSource } from "../sources/catalog.ts";
import { within } from "../sources/deadline.ts";
import { readSecret } from "../sources/secret.ts";
import { packageOf } from "../sources/source-kinds.ts";
import { withTenant } from "../sources/tenant-kind.ts";

type Adapters = Readonly<Record<string, string>> | undefined;

/** Source of another engine as the operator requests it. */
export interface EngineSourceRequest {
  /** Name of the adapter. */
  readonly kind: string;
  /** Address without a password, or path of a file. */
  readonly from: string;
  readonly password?: SecretPlace | undefined;
  readonly runAs?: "fixed" | "user" | undefined;
  /** Only tenant that may query the source. @default all tenants */
  readonly tenant?: string | undefined;
  /** Packages of further adapters: the setting `adapters`. */
  readonly adapters?: Adapters;
}

/**
 * Adds a source of another engine to the data directory, or replaces one, after its adapter has checked it. Connects to
 * no engine. Without `runAs`, a source that is replaced keeps its own.
 * @throws {SourceError} if the package of the adapter is missing, the request is invalid, or the name is that of a source
 *   with loaded tables or of a DuckDB file
 */
export async function connectSource(location: SourceLocation, request: EngineSourceRequest): Promise<void> {
  const { kind, from, password, runAs, tenant, adapters } = request;
  if (password !== undefined && "variable" in password && /^QUERN_/.test(password.variable))
    throw new SourceError(
      `Invalid --password-variable: ${password.variable}; choose a name without QUERN_, which begins the names of settings`,
    );
  // Also refuses scheme:/user:password@host, which must not become a path. A path may begin with a drive letter.
  const origin = /^[a-z][\w+.-]+:(?:\/\/|.*:.*@)/i.test(from) ? { address: from } : { path: resolve(from) };
  const added = { kind, ...origin, ...(password && { password }), ...(runAs && { runAs }), ...(tenant && { tenant }) };
  await addEngineSource(location, added, (complete) =>
    asSourceError(async () => {
      if ("address" in origin) checkSourceAddress(location.source, from, kind);
      await onKind(kind, adapters, (adapter) => adapter.check(sourceOf({ ...complete, name: location.source })));
    }),
  );
}

export interface CheckOptions {
  readonly adapters?: Adapters;
  /** Id of the user in whose name a source with `runAs: "user"` is checked. */
  readonly userId?: string | undefined;
  /** Tenant of this user. @default the only one of the source */
  readonly tenantId?: string | undefined;
}

const timeoutMs = 30_000;

/** Runs small statements on a source, or on each source, of another engine. Reports an engine that does not answer. */
export async function checkEngineSources(
  dataDir: string,
  source: string | undefined,
  options: CheckOptions = {},
): Promise<readonly CheckedTable[]> {
  const checked: CheckedTable[] = [];
  for (const configuration of engineSourcesOf(dataDir, source)) {
    const found = { source: configuration.name, table: "SELECT 1", rows: 1 };
    const late = () => new Error(`it did not answer within ${timeoutMs / 1_000} seconds`);
    const problem = await within(timeoutMs, runOn(sourceOf(configuration), options), late).then(
      () => null,
      (error: unknown) => oneLine(error),
    );
    checked.push({ ...found, rows: problem === null ? 1 : null, ok: problem === null, problem });
  }
  return checked;
}

async function runOn(source: Source, { adapters, userId, tenantId = source.tenant }: CheckOptions): Promise<void> {
  if (source.runAs === "user" && userId === undefined)
    throw new Error("its statements run in the name of the user; name one in --user");
  if (source.address?.includes("{tenant}") && tenantId === undefined)
    throw new Error("its statements run in the name of the tenant; name one in --tenant");
  await onKind(source.kind, adapters, async (kind) => {
    await kind.check(source);
    const data = await kind.hold(source);
    const caller = {
      tenantId: tenantId ?? "operator",
      userId: userId ?? "operator",
      parameters: null,
      traceparent: undefined,
    };
    const limits = { timeoutSeconds: timeoutMs / 1_000, maxResultBytes: 1e6, maxResultRows: 10 };
    const signal = AbortSignal.timeout(timeoutMs);
    const run = { runId: "run_check", attempt: 1, limits };
    try {
      for (const sql of await kind.checkStatements(withTenant(source, caller.tenantId)))
        await finish(await kind.begin({ ...caller, ...run, sql, source, data }, signal));
    } finally {
      await data.release();
    }
  });
}

/** Reads the whole result of a statement. */
async function finish(execution: Execution): Promise<void> {
  try {
    const result = await execution.result();
    if (result.form === "parquet") await result.file();
    else if (result.form === "rows") for await (const _ of result.rows);
    else if (result.form === "encoded") for await (const part of result.parts) for await (const _ of part);
  } finally {
    await execution.release();
  }
}

async function onKind<T>(
  name: string,
  adapters: Adapters,
  use: (kind: ReturnType<typeof createAdapterKind>) => Promise<T>,
): Promise<T> {
  const workDirectory = await mkdtemp(join(tmpdir(), "quern-"));
  const kind = createAdapterKind(name, packageOf(name, adapters), { secret: readSecret, workDirectory });
  try {
    return await use(kind);
  } finally {
    await kind.close();
    await rm(workDirectory, { recursive: true, force: true });
  }
}

function sourceOf(configuration: Omit<SourceConfiguration, "provider">): Source {
  return toSource({ provider: "quern", ...configuration }, false);
}

async function asSourceError(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw new SourceError(oneLine(error).replace(/\.$/, ""), { cause: error });
  });
}

function oneLine(error: unknown): string {
  const message = isStatementError(error)
    ? error.failure.message
    : error instanceof Error
      ? error.message
      : String(error);
  return message.replaceAll(/\s*\n\s*/g, " ");
}
