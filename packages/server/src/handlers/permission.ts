import type { Scope } from "@quern/adapter";
import type { MethodHandlers } from "../generated/handlers.ts";
import { forbidden } from "../identity/authentication.ts";
import type { Principal } from "../identity/principal.ts";
import type { Context } from "./context.ts";

type Method = keyof MethodHandlers<Context>;

/** Scope that each method requires. A method of the OpenRPC document without a scope is a compile error. */
const scopeOf: Readonly<Record<Method, Scope>> = {
  createQueryRun: "run",
  createUpload: "run",
  describeQuery: "run",
  listTables: "run",
  completeSql: "run",
  getQueryRun: "read",
  getQueryRunResults: "read",
  getQueryRunDownload: "read",
  getSqlStatement: "read",
  listQueryRuns: "read",
  getColumnProfile: "read",
  summarizeQueryRunResults: "read",
  getUsage: "tenant:admin",
  getLimits: "tenant:admin",
  cancelQueryRun: "cancel",
};

/** Returns the scopes that calls of these methods require. */
export function scopesOf(methods: readonly string[]): readonly Scope[] {
  const required = new Map<string, Scope>(Object.entries(scopeOf));
  return [...new Set(methods.flatMap((method) => required.get(method) ?? []))];
}

/** Returns true if a caller has the scope that a method requires. */
export function mayCall({ scopes }: Principal, method: string): boolean {
  return scopesOf([method]).every((scope) => scopes.has(scope));
}

/**
 * Adds a check of the caller's scope to each handler. A call without the scope gets AuthorizationError; outside a batch
 * its HTTP status is 403.
 */
export function permitted(
  handlers: MethodHandlers<Context>,
  onRefused: (context: Context, scope: Scope) => void,
): MethodHandlers<Context> {
  const guarded = Object.entries(handlers).map(([method, handler]) => {
    const scope = scopeOf[method as Method]; // each handler has the name of its method
    const guard = (params: never, context: Context): unknown => {
      if (!context.principal.scopes.has(scope)) {
        onRefused(context, scope);
        throw forbidden();
      }
      return handler(params, context);
    };
    return [method, guard];
  });
  // Each guard has the params and the result of its handler.
  return Object.fromEntries(guarded) as MethodHandlers<Context>;
}
