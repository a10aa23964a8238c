import type { Client, QuernError } from "@quern/client";
import { type UseQueryReturnType, useQuery } from "@tanstack/vue-query";
import { type MaybeRefOrGetter, toValue } from "vue";
import type { TypedQuery } from "#query-options/typed-query";
import { type HookOptions, useHookOptions } from "./hook-options.ts";
import { useClient } from "./quern-provider.ts";

/** Calls a method that only reads: `useMethod(getSqlStatementOptions, { sqlStatementId })`. */
export function useMethod<Params extends object, Result, Data = Result>(
  optionsOf: (client: Client, params: Params) => TypedQuery<Result>,
  params: MaybeRefOrGetter<Params>,
  options: MaybeRefOrGetter<HookOptions<Result, Data>> = {},
): UseQueryReturnType<Data, QuernError> {
  const client = useClient();
  return useQuery<Result, QuernError, Data, readonly unknown[]>(
    useHookOptions(() => optionsOf(client, toValue(params)), options),
  );
}
