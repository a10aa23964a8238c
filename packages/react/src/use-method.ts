"use client";

import type { Client, QuernError } from "@quern/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useClient } from "./quern-context.ts";
import type { TypedQuery } from "./typed-query.ts";

/** Calls a method that only reads: `useMethod(getSqlStatementOptions, { sqlStatementId })`. */
export function useMethod<Params extends object, Result>(
  options: (client: Client, params: Params) => TypedQuery<Result>,
  params: Params,
): UseQueryResult<Result, QuernError> {
  return useQuery(options(useClient(), params));
}
