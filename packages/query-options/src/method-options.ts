import type { Client, MethodFunction } from "@quern/client";
import { methodKey } from "./query-key.ts";
import { type TypedQuery, typedQuery } from "./typed-query.ts";

type ParamsOf<Method> = Method extends MethodFunction<infer Params, infer _Result, infer _Failure> ? Params : never;
type ResultOf<Method> = Method extends MethodFunction<infer _Params, infer Result, infer _Failure> ? Result : never;

/** The options factory of a method, e.g. `MethodOptions<typeof getQueryRun>`. */
export type MethodOptions<Method> = (client: Client, params: ParamsOf<Method>) => TypedQuery<ResultOf<Method>>;

/**
 * Makes the options factory of a method that only reads: TanStack Query may call it again whenever it refetches. `retry` is off
 * because the client retries what is safe to repeat.
 * @param freshness `staleTime` of the options, in milliseconds.
 */
export function methodOptions<Params extends object, Result>(
  method: MethodFunction<Params, Result>,
  freshness?: { readonly staleTime?: number },
): (client: Client, params: Params) => TypedQuery<Result> {
  return (client, params) =>
    typedQuery<Result>({
      queryKey: methodKey(client, method.descriptor.name, params),
      queryFn: ({ signal }) => method(client, params, { signal }),
      retry: false,
      ...freshness,
    });
}
