import {
  EngineLostError,
  type HeldData,
  isEngineLostError,
  isStatementError,
  type Source,
  type SourceKind,
  startDeadline,
} from "@quern/adapter";
import { diskFullFailure } from "@quern/duckdb";
import { declaredError } from "../common/declared-error.ts";
import { storageFull } from "../common/method-errors.ts";
import type { Context, Service } from "./context.ts";

/** Source with a snapshot of its data, and the caller. */
interface SourceQuery {
  readonly source: Source;
  readonly data: HeldData;
  readonly tenantId: string;
  readonly userId: string;
}

/**
 * Waits for a permit of inspections, then calls the adapter of a source with a snapshot of its data, which is
 * released afterwards. Calls it once more if the engine is lost.
 * The time of the call counts against the monthly budget of the user.
 * @throws {MethodError} BudgetExceeded; StorageFull if the engine has no space on the disk
 * @throws {EngineLostError} if the engine is lost again, or the wait and the call together take longer than
 *   `describeTimeoutSeconds`
 */
export async function withSource<T>(
  source: Source,
  {
    sources,
    limits,
    limitsOf,
    inspections,
    telemetry,
  }: Pick<Service, "inspections" | "limits" | "limitsOf" | "sources" | "telemetry">,
  { principal, signal }: Context,
  call: (kind: SourceKind, query: SourceQuery, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { tenantId, userId } = principal;
  const { monthlyExecSeconds } = await limitsOf(tenantId);
  const { usage } = telemetry;
  const deadline = startDeadline(limits.describeTimeoutSeconds * 1_000);
  const aborted = AbortSignal.any([signal, deadline.signal]);
  const kind = sources.kindOf(source);
  try {
    const leave = await inspections.acquire(tenantId, source, aborted);
    const beganAt = performance.now();
    try {
      // Checked with a permit, so that waiting calls cannot exceed the budget.
      const spent = await usage.spent(principal, monthlyExecSeconds);
      if (spent !== undefined) throw declaredError("BudgetExceeded", spent);
      const data = await kind.hold(source);
      const ask = () => call(kind, { source, data, tenantId, userId }, aborted);
      return await ask()
        .catch((error: unknown) => {
          // The engine was lost, perhaps to another call. An inspection has no effects, so it is repeated once.
          if (!isEngineLostError(error) || aborted.aborted) throw error;
          return ask();
        })
        .finally(() => data.release());
    } finally {
      usage.inspected(principal, performance.now() - beganAt);
      leave();
    }
  } catch (error) {
    if (isStatementError(error) && error.failure.name === diskFullFailure.name) throw storageFull(error);
    if (!deadline.signal.aborted) throw error;
    throw new EngineLostError(
      `Timeout: the call took longer than ${limits.describeTimeoutSeconds} seconds, including its wait for other calls; retry later.`,
      { cause: error },
    );
  } finally {
    deadline.end();
  }
}
