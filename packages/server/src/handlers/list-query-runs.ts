import type { ListedRun, RunQuery } from "@quern/adapter";
import type { ListQueryRunsParams, ListQueryRunsResult } from "@quern/protocol/types";
import { defaultListLimit } from "@quern/query-run/limits";
import { toQueryRun } from "@quern/query-run/wire";
import { invalidParams } from "../common/declared-error.ts";
import { userFilterOf } from "../identity/principal.ts";
import type { Context, Service } from "./service.ts";

export async function listQueryRuns(
  { states, tags = {}, since, limit = defaultListLimit, cursor }: ListQueryRunsParams,
  { principal }: Context,
  { store, clock, disk }: Service,
): Promise<ListQueryRunsResult> {
  const runs = await store.runs.list({
    tenantId: principal.tenantId,
    userId: userFilterOf(principal),
    sources: principal.sources,
    states,
    tags,
    since: since === undefined ? undefined : Date.parse(since),
    // One more row than the limit means that there is another page.
    limit: limit + 1,
    after: cursor === undefined ? undefined : decodeCursor(cursor),
  });
  const now = clock.now();
  const listed = runs.slice(0, limit);
  const last = listed.at(-1);
  return {
    queryRuns: listed.map((run) => toQueryRun(run, now, disk.waitReason)),
    nextCursor: runs.length > limit && last !== undefined ? encodeCursor(last) : null,
  };
}

function encodeCursor({ createdAt, id }: ListedRun): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

function decodeCursor(cursor: string): RunQuery["after"] {
  const [, createdAt, id] = /^(\d+) (\S+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (createdAt === undefined || id === undefined) {
    throw invalidParams([
      { pointer: "/cursor", expected: "the nextCursor of an earlier call", received: "another text" },
    ]);
  }
  return { createdAt: Number(createdAt), id };
}
