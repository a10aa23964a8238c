import { isDiskFull, storageFull } from "../common/disk-full.ts";
import type { MethodHandlers } from "../generated/handlers.ts";
import type { Context } from "./service.ts";

/** Answers a call with StorageFull if the disk is too full for the change that it makes. */
export function declaringFullDisk(handlers: MethodHandlers<Context>): MethodHandlers<Context> {
  const guarded = Object.entries(handlers).map(([method, handler]) => {
    const guard = async (params: never, context: Context): Promise<unknown> => {
      try {
        return await handler(params, context);
      } catch (error) {
        throw isDiskFull(error) ? storageFull(error) : error;
      }
    };
    return [method, guard];
  });
  // Each guard has the params and the result of its handler.
  return Object.fromEntries(guarded) as MethodHandlers<Context>;
}
