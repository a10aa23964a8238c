import { EngineLostError, type Source } from "@quern/adapter";
import { isDiskFull, storageFull } from "../common/disk-full.ts";
import { storeUnavailable, unavailableToMethodError } from "../common/unavailable.ts";
import type { MethodHandlers } from "../generated/handlers.ts";
import { isSourceUnavailable } from "../sources/source-health.ts";
import type { Context } from "./service.ts";

/** Converts the loss of the engine of a source to StoreUnavailable, with its name; returns another error unchanged. */
export function engineLossToMethodError(error: unknown, { name }: Pick<Source, "name">): unknown {
  return error instanceof EngineLostError || isSourceUnavailable(error) ? storeUnavailable(error, name) : error;
}

/**
 * Answers a call with StorageFull if the disk is too full for the change that it makes, and with StoreUnavailable if a
 * store that it needs cannot be reached.
 */
export function withOutageErrors(handlers: MethodHandlers<Context>): MethodHandlers<Context> {
  const guarded = Object.entries(handlers).map(([method, handler]) => {
    const guard = async (params: never, context: Context): Promise<unknown> => {
      try {
        return await handler(params, context);
      } catch (error) {
        throw isDiskFull(error) ? storageFull(error) : unavailableToMethodError(error);
      }
    };
    return [method, guard];
  });
  // Each guard has the params and the result of its handler.
  return Object.fromEntries(guarded) as MethodHandlers<Context>;
}
