import type { DatabaseSync } from "node:sqlite";
import type { ReclaimedRun } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import { lossOf } from "@quern/query-run/transition";
import { prepareRecords } from "./records.ts";
import { executing, type RunRecords } from "./run-records.ts";

type Reclaim = (
  reason: string,
  working: readonly string[],
  maxLostServers: number | undefined,
  now: Instant,
) => ReclaimedRun[];

/** Prepares a function that reclaims the runs whose lease has expired. The caller provides the transaction. */
export function prepareReclaim(database: DatabaseSync, runs: RunRecords): Reclaim {
  const records = prepareRecords(database, {
    lost: `SELECT record FROM runs WHERE state IN ${executing} AND coalesce(lease_until, 0) <= ?
      AND id NOT IN (SELECT value FROM json_each(?))`,
  });
  return (reason, working, maxLostServers, now) =>
    records.all<RunRecord>("lost", now, JSON.stringify(working)).flatMap((lost) => {
      const reclaimed = runs.apply(lost, lossOf(lost, reason, maxLostServers), now);
      return reclaimed.accepted ? [{ lost, run: reclaimed.run }] : [];
    });
}
