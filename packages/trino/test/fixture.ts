import type { HeldData, Source, Statement } from "@quern/adapter";

/** Source on a Trino. */
export function sourceAt(address: string, change: Partial<Source> = {}): Source {
  return { name: "lake", provider: "trino", kind: "trino", path: null, lowerCaseColumns: false, address, ...change };
}

/** Context of a source kind without a password. */
export const withoutSecrets = {
  secret: async (): Promise<string> => {
    throw new Error("no secret was expected");
  },
};

export const data: HeldData = { revision: "unknown", release: async () => {} };
export const never: AbortSignal = new AbortController().signal;

export function statementOn(source: Source, sql: string, change: Partial<Statement> = {}): Statement {
  const caller = { tenantId: "tenant", userId: "user@example.org", parameters: null, traceparent: undefined };
  const limits = { maxResultBytes: 1e9, maxResultRows: 1e9, timeoutSeconds: 600 };
  return { ...caller, runId: "run_1", attempt: 1, limits, sql, source, data, ...change };
}
