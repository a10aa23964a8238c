import type { Client, QuernError } from "@quern/client";
import { type CreateQueryResult, createQuery, useQueryClient } from "@tanstack/svelte-query";
import { withDefaults } from "#query-options/hook-options";
import type { TypedQuery } from "#query-options/typed-query";
import { useClient } from "./client-context.ts";
import type { HookOptions } from "./hook-options.ts";

/** Calls a method that only reads: `useMethod(getSqlStatementOptions, () => ({ sqlStatementId }))`. */
export function useMethod<Params extends object, Result, Data = Result>(
  optionsOf: (client: Client, params: Params) => TypedQuery<Result>,
  params: () => Params,
  options: () => HookOptions<Result, Data> = () => ({}),
): CreateQueryResult<Data, QuernError> {
  const client = useClient();
  const queryClient = useQueryClient();
  return createQuery<Result, QuernError, Data, readonly unknown[]>(() =>
    withDefaults(queryClient, optionsOf(client, params()), options()),
  );
}
