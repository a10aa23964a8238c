import { type Client, errorName, getQueryRun, getSqlStatement, QuernError } from "@quern/client";
import { useClient } from "@quern/react";
import { useEffect, useRef, useState } from "react";
import { clearRunLink, linkedRunId } from "./run-link.ts";
import type { Tab } from "./workspace/tab.ts";

interface LinkedRun {
  /** Why the last link cannot be opened; undefined if it can. */
  readonly failure: string | undefined;
  readonly dismiss: () => void;
}

/** Opens the run of a link in a tab, at the start and when the address changes. Nothing runs again. */
export function useLinkedRun(onOpen: (tab: Partial<Tab>) => void): LinkedRun {
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
        (error: unknown) => setFailure(`Cannot open the run ${queryRunId}: ${reasonOf(error)}`),
      );
    };
    open();
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, [client]);
  return { failure, dismiss: () => setFailure(undefined) };
}

const reasonOf = (error: unknown): string =>
  error instanceof QuernError && errorName(error.code ?? 0) === "QueryRunNotFound"
    ? "it was removed, or you may not read it."
    : Object(error).message;

async function tabOf(client: Client, queryRunId: string): Promise<Partial<Tab>> {
  const { queryRun } = await getQueryRun(client, { queryRunId });
  const { sqlStatement } = await getSqlStatement(client, { sqlStatementId: queryRun.sqlStatementId });
  const { sql } = sqlStatement;
  return { sql, dataSource: queryRun.dataSourceId, run: { queryRunId, statement: { sql, from: 0 } } };
}
