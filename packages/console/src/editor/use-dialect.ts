import { listTablesOptions, useMethod } from "@quern/react";
import { useMemo } from "react";
import { type Dialect, dialectOf } from "./dialect.ts";

/** Returns the dialect of a data source. */
export function useDialect(dataSource: string | undefined): Dialect {
  // The request of the choice of sources, so that the page makes none more.
  const { data } = useMethod(listTablesOptions, { limit: 1000 }, { staleTime: 300_000 });
  return useMemo(() => dialectOf(data?.tables ?? [], dataSource), [data, dataSource]);
}
