"use client";

import type { Client, QuernError } from "@quern/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { TypedQuery } from "#query-options/typed-query";
import { type HookOptions, useHookOptions } from "./hook-options.ts";
import { useClient } from "./quern-context.ts";

/** Calls a method that only reads: `useMethod(getSqlStatementOptions, { sqlStatementId })`. */
export function useMethod<Params extends object, Result, Data = Result>(
  optionsOf: (client: Client, params: Params) => TypedQuery<Result>,
  params: Params,
  options: HookOptions<Result, Data> = {},
): UseQueryResult<Data, QuernError> {
  return useQuery<Result, QuernError, Data, readonly unknown[]>(
    useHookOptions(optionsOf(useClient(), params), options),
  );
}
