import type { Scope } from "@quern/adapter";
import type { MethodHandlers } from "../generated/handlers.ts";
import { forbidden } from "../identity/authentication.ts";
import type { Context } from "./context.ts";

type Method = keyof MethodHandlers<Context>;

/** What a caller needs for each method of the document; it does not compile while one is missing. */
const scopeOf: Readonly<Record<Method, Scope>> = {
  createQueryRun: "run",
  describeQuery: "run",
  listTables: "run",
  completeSql: "run",
  getQueryRun: "read",
  getQueryRunResults: "read",
  getQueryRunDownload: "read",
  getSqlStatement: "read",
  listQueryRuns: "read",
  cancelQueryRun: "cancel",
};

/** The same methods, for those who may call them. The others are refused with AuthorizationError, a lone call with HTTP 403. */
export function permitted(
  handlers: MethodHandlers<Context>,
  onRefused: (context: Context, scope: Scope) => void,
): MethodHandlers<Context> {
  const guarded = Object.entries(handlers).map(([method, handler]) => {
    const scope = scopeOf[method as Method]; // the names of the handlers are the methods
    const guard = (params: never, context: Context): unknown => {
      if (!context.principal.scopes.has(scope)) {
        onRefused(context, scope);
        throw forbidden();
      }
      return handler(params, context);
    };
    return [method, guard];
  });
  // Each guard takes and answers what its handler does.
  return Object.fromEntries(guarded) as MethodHandlers<Context>;
}
