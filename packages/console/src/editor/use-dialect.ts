import { useMemo } from "react";
import { useFirstTables } from "../schema/use-first-tables.ts";
import { type Dialect, dialectOf } from "./dialect.ts";

/** Returns the dialect of a data source. */
export function useDialect(dataSource: string | undefined): Dialect {
  const tables = useFirstTables();
  return useMemo(() => dialectOf(tables, dataSource), [tables, dataSource]);
}
