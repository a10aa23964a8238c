/**
 * Identity of the connection that executes a statement. PostgreSQL reuses process ids, so the time at which the process
 * started belongs to it.
 */
export interface QueryId {
  readonly pid: number;
  /** Microseconds since 1970. */
  readonly started: string;
  /** User in whose role the statement runs, which only this role may cancel; null for the role of the source. */
  readonly userId: string | null;
}

export function queryIdText({ pid, started, userId }: QueryId): string {
  return [pid, started, ...(userId === null ? [] : [encodeURIComponent(userId)])].join("/");
}

/** Returns undefined for a text that is not from {@link queryIdText}. */
export function parseQueryId(text: string): QueryId | undefined {
  const [, pid, started, user] = /^(\d{1,10})\/(\d{1,20})(?:\/([^/]+))?$/.exec(text) ?? [];
  if (pid === undefined || started === undefined) return undefined;
  return { pid: Number(pid), started, userId: user === undefined ? null : decodeURIComponent(user) };
}
