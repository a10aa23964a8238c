import { EngineLostError, type HeldData, type Source, type SourceKind } from "@quern/adapter";
import { deadlineAfter } from "../common/clock.ts";
import type { Context, Service } from "./service.ts";

/** Source with a snapshot of its data, and the caller. */
interface SourceQuery {
  readonly source: Source;
  readonly data: HeldData;
  readonly tenantId: string;
  readonly userId: string;
}

/**
 * Waits for the semaphore of inspections, then calls the adapter of a source with a snapshot of its data, which is
 * released afterwards.
 * @throws {EngineLostError} if the engine is lost, or the wait and the call together take longer than
 *   `describeTimeoutSeconds`
 */
export async function withSource<T>(
  source: Source,
  { sources, limits, inspections }: Service,
  { principal, signal }: Context,
  call: (kind: SourceKind, query: SourceQuery, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { tenantId, userId } = principal;
  const deadline = deadlineAfter(limits.describeTimeoutSeconds);
  const aborted = AbortSignal.any([signal, deadline]);
  const kind = sources.kindOf(source);
  try {
    const leave = await inspections.acquire(tenantId, aborted);
    try {
      const data = await kind.hold(source);
      return await call(kind, { source, data, tenantId, userId }, aborted).finally(() => data.release());
    } finally {
      leave();
    }
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new EngineLostError(
      `Timeout: the call took longer than ${limits.describeTimeoutSeconds} seconds, including its wait for other calls; retry later.`,
      { cause: error },
    );
  }
}
