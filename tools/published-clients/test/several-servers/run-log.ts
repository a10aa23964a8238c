import { execute } from "../../../../packages/postgres/test/store/fixture.ts";

/** Change of the state of a run, as a trigger in the database has logged it. */
export interface RunChange {
  readonly runId: string;
  readonly attempt: number;
  readonly state: string;
  /** Server that has made the change. */
  readonly server: string;
  /** Time by the clock of the database, which runs on the same machine as the test. */
  readonly at: number;
}

/** Kill of a server. */
export interface Kill {
  readonly server: string;
  readonly at: number;
  /** Time at which the process had ended. What the server does later, it does after its restart. */
  readonly endedAt: number;
}

/** Execution that a kill has interrupted. */
export interface Interruption {
  readonly runId: string;
  /** True if another server claimed the run, not the killed one after its restart. */
  readonly isElsewhere: boolean;
}

/** Logs all changes of runs. The schema of the store must exist. */
export async function logRuns(url: string): Promise<void> {
  await execute(
    url,
    `CREATE SCHEMA test;
    CREATE TABLE test.run_log (
      nth bigint GENERATED ALWAYS AS IDENTITY, run_id text, attempt integer, state text, server text, at double precision
    );
    CREATE FUNCTION test.log_run() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' OR new.state <> old.state OR new.attempt <> old.attempt THEN
        INSERT INTO test.run_log (run_id, attempt, state, server, at) VALUES (new.id, new.attempt, new.state,
          current_setting('application_name'), extract(epoch FROM clock_timestamp()) * 1000);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER test_log AFTER INSERT OR UPDATE ON quern.runs FOR EACH ROW EXECUTE FUNCTION test.log_run()`,
  );
}

/** Returns the changes of all runs, in their order for each run. */
export async function readRunLog(url: string): Promise<readonly RunChange[]> {
  const rows = await execute(
    url,
    'SELECT run_id AS "runId", attempt, state, server, at FROM test.run_log ORDER BY run_id, nth',
  );
  return rows as readonly RunChange[]; // the columns have these names and types
}

/** Returns the servers that execute runs, the one with the most first. */
export async function executingServers(url: string): Promise<readonly string[]> {
  const rows = await execute(
    url,
    `SELECT server FROM (SELECT DISTINCT ON (run_id) state, server FROM test.run_log ORDER BY run_id, nth DESC) AS last
      WHERE state IN ('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')
      GROUP BY server ORDER BY count(*) DESC, server`,
  );
  return rows.map(({ server }) => String(server));
}

export const isClaim = ({ state }: RunChange): boolean => state === "QUERY_STATE_RUNNING";

const isExecuting = (change: RunChange): boolean => isClaim(change) || change.state === "QUERY_STATE_STREAMING_RESULTS";

/** Finds the executions that kills have interrupted, and the claims that replaced them. */
export function interruptions(changes: readonly RunChange[], kills: readonly Kill[]): readonly Interruption[] {
  return changes.flatMap((change, index) => {
    const next = changes[index + 1];
    const isReturned = next?.runId === change.runId && next.state === "QUERY_STATE_READY";
    if (!isExecuting(change) || !isReturned) return [];
    const kill = kills.find(({ server, at }) => server === change.server && at > change.at);
    if (kill === undefined || kill.at > next.at) return [];
    const claim = changes.slice(index + 1).find((later) => later.runId === change.runId && isClaim(later));
    if (claim === undefined) return [];
    const isElsewhere = claim.server !== kill.server;
    if (!isElsewhere && claim.at < kill.endedAt)
      throw new Error(`${kill.server} claimed ${claim.runId} while it ended`);
    return [{ runId: change.runId, isElsewhere }];
  });
}
