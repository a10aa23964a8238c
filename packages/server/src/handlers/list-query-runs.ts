import type { RunPosition, RunQuery } from "@quern/adapter";
import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { ListQueryRunsParams } from "@quern/protocol/types";
import { defaultListLimit } from "@quern/query-run/limits";
import { invalidParams } from "../common/declared-error.ts";
import { userFilterOf } from "../identity/principal.ts";
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
    after: cursor === undefined ? undefined : decodeCursor(cursor),
  };
  const { json, next } = await store.runs.list(query, clock.now(), await waitReasons(principal.tenantId, service));
  const nextCursor = next === null ? null : encodeCursor(next);
  const text = ['{"queryRuns":', json, `,"nextCursor":${JSON.stringify(nextCursor)}}`];
  return preencoded(text, { isSentOnce: true });
}

function encodeCursor({ createdAt, id }: RunPosition): string {
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
