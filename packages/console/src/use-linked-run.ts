import { type Client, getQueryRun, getSqlStatement } from "@quern/client";
import { useClient } from "@quern/react";
import { useEffect, useRef, useState } from "react";
import { clearRunLink, linkedRunId } from "./run-link.ts";
import type { Tab } from "./workspace/tab.ts";

/**
 * Opens the run of a link in a tab, at the start and when the address changes. Nothing runs again.
 * @returns why a link cannot be opened; undefined otherwise
 */
export function useLinkedRun(onOpen: (tab: Partial<Tab>) => void): string | undefined {
  const client = useClient();
  const [failure, setFailure] = useState<string>();
  const latest = useRef(onOpen);
  latest.current = onOpen;
  useEffect(() => {
    const open = () => {
      const queryRunId = linkedRunId();
      if (queryRunId === undefined) return;
      clearRunLink();
      tabOf(client, queryRunId).then(
        (tab) => {
          setFailure(undefined);
          latest.current(tab);
        },
        (error: Error) => setFailure(`Cannot open the run ${queryRunId}: ${error.message}`),
      );
    };
    open();
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, [client]);
  return failure;
}

async function tabOf(client: Client, queryRunId: string): Promise<Partial<Tab>> {
  const { queryRun } = await getQueryRun(client, { queryRunId });
  const { sqlStatement } = await getSqlStatement(client, { sqlStatementId: queryRun.sqlStatementId });
  const { sql } = sqlStatement;
  return { sql, dataSource: queryRun.dataSourceId, run: { queryRunId, statement: { sql, from: 0 } } };
}
