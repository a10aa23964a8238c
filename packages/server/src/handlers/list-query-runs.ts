import type { RunPosition, RunQuery } from "@quern/adapter";
import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { ListQueryRunsParams } from "@quern/protocol/types";
import { defaultListLimit } from "@quern/query-run/limits";
import { userFilterOf } from "../identity/principal.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "./cursor.ts";
import type { Context, Service } from "./service.ts";
import { waitReasons } from "./wait-reasons.ts";

export async function listQueryRuns(
  { states, tags = {}, since, limit = defaultListLimit, cursor }: ListQueryRunsParams,
  { principal }: Context,
  service: Service,
): Promise<Preencoded> {
  const { store, clock } = service;
  const query: RunQuery = {
    tenantId: principal.tenantId,
    userId: userFilterOf(principal),
    sources: principal.sources,
    states,
    tags,
    since: since === undefined ? undefined : Date.parse(since),
    limit,
    after: cursor === undefined ? undefined : positionIn(cursor),
  };
  const { json, next } = await store.runs.list(query, clock.now(), await waitReasons(principal.tenantId, service));
  const nextCursor = next === null ? null : encodeCursor([String(next.createdAt), next.id]);
  const text = ['{"queryRuns":', json, `,"nextCursor":${JSON.stringify(nextCursor)}}`];
  return preencoded(text, { isSentOnce: true });
}

function positionIn(cursor: string): RunPosition {
  const [createdAt = "", id = ""] = decodeCursor(cursor, 2);
  if (!/^\d+$/.test(createdAt)) throw invalidCursor();
  return { createdAt: Number(createdAt), id };
}
