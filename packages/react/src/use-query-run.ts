"use client";

import { useQuery } from "@tanstack/react-query";
import { useClient } from "./quern-context.ts";
import { queryRunOptions } from "./query-run-options.ts";

/** Follows a run until it has ended. */
export function useQueryRun(queryRunId: string) {
  return useQuery(queryRunOptions(useClient(), queryRunId));
}
