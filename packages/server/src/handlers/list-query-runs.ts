import type { RunPosition, RunQuery } from "@quern/adapter";
import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import { listQueryRunsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { ListQueryRunsParams } from "@quern/protocol/types";
import { userFilterOf } from "../identity/principal.ts";
import type { Context, Service } from "./context.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "./cursor.ts";
import { waitReasons } from "./wait-reasons.ts";

export async function listQueryRuns(
  { states, tags = {}, since, until, text, limit = defaults.limit, cursor }: ListQueryRunsParams,
  { principal, onSent }: Context,
  service: Pick<Service, "clock" | "disk" | "limitsOf" | "scheduler" | "store">,
): Promise<Preencoded> {
  const { store, clock } = service;
  const query: RunQuery = {
    tenantId: principal.tenantId,
    userId: userFilterOf(principal),
    sources: principal.sources,
    states,
    tags,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    text,
    limit,
    after: cursor === undefined ? undefined : positionIn(cursor),
  };
  const { json, next } = await store.runs.list(query, clock.now(), await waitReasons(principal.tenantId, service));
  const nextCursor = next === null ? null : encodeCursor([String(next.createdAt), next.id]);
  const parts = ['{"queryRuns":', json, `,"nextCursor":${JSON.stringify(nextCursor)}}`];
  onSent(() => free(json));
  return preencoded(parts);
}

/** `ArrayBuffer` with a method that TypeScript's ES2023 library does not declare yet. */
type Transferable = ArrayBufferLike & { readonly transfer?: (newByteLength: number) => ArrayBuffer };

/**
 * Frees the memory of bytes, of which the garbage collector would let much accumulate, because it is outside its heap.
 * Keeps a part of a buffer, such as a small `Buffer`, whose memory Node.js shares among all of them.
 */
function free(bytes: Uint8Array): void {
  const buffer: Transferable = bytes.buffer;
  if (bytes.byteLength === buffer.byteLength) buffer.transfer?.(0);
}

function positionIn(cursor: string): RunPosition {
  const [createdAt = "", id = ""] = decodeCursor(cursor, 2);
  if (!/^\d+$/.test(createdAt)) throw invalidCursor();
  return { createdAt: Number(createdAt), id };
}
