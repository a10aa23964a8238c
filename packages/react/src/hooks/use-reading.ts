import type { Query } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Reading } from "../options/open-run.ts";
import { statementKey } from "../options/query-key.ts";
import type { RowsQuery } from "../options/rows-query.ts";
import type { Place } from "../options/turns.ts";
import { useClient } from "./quern-context.ts";
import { useTurn } from "./quern-dashboard.ts";

export interface HookReading<Row> extends Reading<Row> {
  readonly shown: RefObject<Query | undefined>;
}

/** A query as a hook reads it. */
export function useReading<Row>(query: RowsQuery<Row>, { element, priority }: Place): HookReading<Row> {
  const client = useClient();
  const request = useKeptSchema(query);
  const turn = useTurn({ element, priority });
  const shown = useRef<Query>(undefined);
  return { client, request, turn, shown, statementKey: statementKey(client, request) };
}

/**
 * Returns the query with a schema that is stable: creating one in each render would be another query each time, and an infinite
 * refetch loop. Another schema applies once a second render has it, too; the hook renders once to find out.
 */
function useKeptSchema<Row>(query: RowsQuery<Row>): RowsQuery<Row> {
  const { sql, schema } = query;
  const [{ kept, candidate }, set] = useState<{ readonly kept: RowsQuery<Row>; readonly candidate?: unknown }>({
    kept: query,
  });
  const isNew = kept.sql !== sql || !kept.schema !== !schema || (schema !== kept.schema && schema === candidate);
  useEffect(() => {
    if (schema !== kept.schema && !candidate) set({ kept, candidate: schema });
  });
  if (isNew) set({ kept: query });
  return isNew ? query : { ...query, schema: kept.schema };
}
