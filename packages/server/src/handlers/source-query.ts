import { EngineLostError, type HeldData, type Source, type SourceKind } from "@quern/adapter";
import { deadlineAfter } from "../common/deadline.ts";
import type { Context } from "./context.ts";
import type { Service } from "./service.ts";

/** Data of a source, and who asks for it. */
interface SourceQuery {
  readonly source: Source;
  readonly data: HeldData;
  readonly tenantId: string;
  readonly userId: string;
}

/**
 * Calls the adapter of a source on its data.
 * @throws {EngineLostError} also if the adapter takes longer than `describeTimeoutSeconds`
 */
export async function onSource<T>(
  source: Source,
  { sources, limits, inspecting }: Service,
  { principal, signal }: Context,
  call: (kind: SourceKind, query: SourceQuery, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { tenantId, userId } = principal;
  const deadline = deadlineAfter(limits.describeTimeoutSeconds);
  const either = AbortSignal.any([signal, deadline]);
  const kind = sources.kindOf(source);
  try {
    const leave = await inspecting.acquire(tenantId, either);
    try {
      const data = await kind.hold(source);
      return await call(kind, { source, data, tenantId, userId }, either).finally(() => data.release());
    } finally {
      leave();
    }
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new EngineLostError("The engine could not prepare the statement in time.", { cause: error });
  }
}
