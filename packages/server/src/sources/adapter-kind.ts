import {
  isEngineLostError,
  isStatementError,
  type Source,
  type SourceAdapter,
  type SourceKind,
  type SourceKindContext,
} from "@quern/adapter";
import { loadAdapter } from "../adapters/adapter-package.ts";
import { checkTenants, forTenants, invalidSource, withTenant } from "./tenant-kind.ts";

/** Source kind whose package is loaded when the first of its sources is checked or used. */
export interface AdapterKind extends SourceKind {
  /**
   * Loads the package, and lets it check the configuration of a source.
   * @throws {Error} one line, if the package is missing or the configuration is invalid
   */
  check(source: Source): Promise<void>;
  /** Returns statements that fail if an object of the address of a source does not exist. */
  checkStatements(source: Source): Promise<readonly string[]>;
}

interface LoadedAdapter {
  readonly adapter: SourceAdapter;
  readonly kind: SourceKind;
}

/** @param load loads the package. @default the installed package */
export function createAdapterKind(
  name: string,
  packageName: string,
  context: SourceKindContext,
  load: () => Promise<SourceAdapter> = () =>
    loadAdapter<SourceAdapter>(`the source kind ${name}`, packageName, "createSourceKind"),
): AdapterKind {
  let loading: Promise<LoadedAdapter> | undefined;

  function loaded(): Promise<LoadedAdapter> {
    loading ??= (async () => {
      const adapter = await load();
      return { adapter, kind: await adapter.createSourceKind(context) };
    })();
    // A package that is installed while the service runs is found by the next call.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  }

  async function checkAddress(source: Source): Promise<void> {
    const { adapter } = await loaded();
    adapter.checkSource(withTenant(source, "tenant"));
  }

  /** Returns the adapter for a call. A source that was added while the service runs is checked here. */
  async function kindFor(source: Source): Promise<SourceKind> {
    await checkAddress(source).catch((error: unknown) => {
      throw isStatementError(error) || isEngineLostError(error) ? error : invalidSource(source, error);
    });
    return (await loaded()).kind;
  }

  const kind = forTenants({
    revision: async (source) => (await kindFor(source)).revision(source),
    hold: async (source) => (await kindFor(source)).hold(source),
    describe: async (query, signal) => (await kindFor(query.source)).describe(query, signal),
    begin: async (statement, signal) => (await kindFor(statement.source)).begin(statement, signal),
    cancel: async (source, ...query) => (await kindFor(source)).cancel(source, ...query),
    tables: async (query, signal) => (await (await kindFor(query.source)).tables?.(query, signal)) ?? [],
    complete: async (query, position, signal) =>
      (await (await kindFor(query.source)).complete?.(query, position, signal)) ?? [],
    checkRole: async (source, signal) => (await kindFor(source)).checkRole?.(source, signal),
    async close() {
      const started = await loading?.catch(() => undefined);
      await started?.kind.close();
    },
  });
  return {
    ...kind,
    async check(source) {
      await checkAddress(source);
      checkTenants(source);
    },
    checkStatements: async (source) => (await loaded()).adapter.checkStatements?.(source) ?? ["SELECT 1"],
  };
}
