/** Returns the id of the run in the address of the page, `#run=…`; undefined without one. */
export const linkedRunId = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get("run") ?? undefined;

/** Returns the address of the exact result of a run, for anyone who may read it. */
export const runLink = (queryRunId: string): string =>
  `${location.origin}${location.pathname}#${new URLSearchParams({ run: queryRunId })}`;

/** Removes the run from the address, so that a reload does not open it again. */
export const clearRunLink = (): void => history.replaceState(null, "", location.pathname + location.search);
