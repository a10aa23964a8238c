import { isStatementError, type Source, type SourceKind } from "@quern/adapter";
import { nearestWord } from "@quern/protocol/nearest-word";
import { type AdapterKind, createAdapterKind } from "./adapter-kind.ts";
import { checkSourceAddress } from "./address.ts";
import { builtInAdapters } from "./built-in-engines.ts";
import { guardKind } from "./guarded-kind.ts";
import { readSecret } from "./secret.ts";
import type { SourceHealthOptions } from "./source-health.ts";
import { checkTenants, forTenants } from "./tenant-kind.ts";

/** Adapters of the service by the name that `kind` of a source gives. */
export interface SourceKinds {
  readonly byName: ReadonlyMap<string, SourceKind>;
  /**
   * Checks the configuration of sources, and loads the packages that serve them. Connects to engines that can check the
   * rights of the source; one that does not answer in time is checked when it is first used.
   * @throws {Error} one line, if a package is missing, a configuration is invalid, or a source has too many rights
   */
  check(sources: readonly Source[]): Promise<void>;
  close(): Promise<void>;
}

/** Returns the package of a kind. @throws {Error} if no package is known for it */
export function packageOf(kind: string, adapters: Readonly<Record<string, string>> = {}): string {
  const packages = { ...builtInAdapters, ...adapters };
  const found = Object.hasOwn(packages, kind) ? packages[kind] : undefined;
  if (found !== undefined) return found;
  const nearest = nearestWord(kind, Object.keys(packages));
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  throw new Error(`Unknown kind of data sources: ${kind}; name its package in the setting adapters.${advice}`);
}

export interface SourceKindsOptions extends SourceHealthOptions {
  /** Adapters of the caller. */
  readonly given: Readonly<Record<string, SourceKind>>;
  /** Adapter for DuckDB. It needs no guard, because its engine is a process of the service. */
  readonly duckdb: SourceKind;
  /** Packages of further adapters by their name. */
  readonly adapters: Readonly<Record<string, string>>;
  readonly workDirectory: string;
}

export function openSourceKinds(options: SourceKindsOptions): SourceKinds {
  const { given, duckdb, adapters, workDirectory } = options;
  const packages = Object.entries({ ...builtInAdapters, ...adapters }).filter(([name]) => !Object.hasOwn(given, name));
  const loadable = new Map<string, AdapterKind>(
    packages.map(([name, packageName]) => [
      name,
      createAdapterKind(name, packageName, { secret: readSecret, workDirectory }),
    ]),
  );
  const others = Object.entries(given).filter(([name]) => name !== "duckdb");
  const ready = [...others.map(([name, kind]) => [name, forTenants(kind)] as const), ...loadable];
  const guarded = ready.map(([name, kind]) => [name, guardKind(kind, options)] as const);
  const byName = new Map<string, SourceKind>([["duckdb", duckdb], ...guarded]);
  return {
    byName,
    async check(sources) {
      for (const source of sources) {
        if (source.address !== undefined) checkSourceAddress(source.name, source.address, source.kind);
        if (source.kind !== "duckdb") options.reports.known(source.name);
        await loadable.get(source.kind)?.check(source);
        checkTenants(source);
      }
      const signal = AbortSignal.timeout(roleCheckMs);
      const kinds = new Map<string, SourceKind>([...Object.entries(given), ...loadable]);
      await Promise.all(sources.map((source) => checkRole(kinds.get(source.kind), source, signal)));
    },
    async close() {
      await Promise.all([...byName.values()].map((kind) => kind.close()));
    },
  };
}

const roleCheckMs = 5_000;

async function checkRole(kind: SourceKind | undefined, source: Source, signal: AbortSignal): Promise<void> {
  if (source.runAs === "user") return;
  await kind?.checkRole?.(source, signal).catch((error: unknown) => {
    if (isStatementError(error) && error.failure.name === "AccessDenied")
      throw new Error(error.failure.message.replace(/\.$/, ""));
  });
}
