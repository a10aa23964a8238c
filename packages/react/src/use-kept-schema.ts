import { useState } from "react";
import type { RowsQuery } from "./rows-query.ts";

/**
 * The query with the schema that its statement was first rendered with: one that is made in each render would be another
 * query each time, and ask without end.
 */
export function useKeptSchema<Row>(query: RowsQuery<Row>): RowsQuery<Row> {
  const { sql, schema } = query;
  const [kept, keep] = useState({ sql, schema });
  if (kept.sql === sql && Boolean(kept.schema) === Boolean(schema)) return { ...query, schema: kept.schema };
  keep({ sql, schema });
  return query;
}
