import type { Table } from "@quern/client";
import { listTablesOptions, useMethod } from "@quern/react";

const NONE: readonly Table[] = [];

/** Returns up to 1,000 tables, those of the default source first; none until the service has answered. Its callers share one request. */
export function useFirstTables(): readonly Table[] {
  const { data } = useMethod(listTablesOptions, { limit: 1000 }, { staleTime: 300_000 });
  return data?.tables ?? NONE;
}
