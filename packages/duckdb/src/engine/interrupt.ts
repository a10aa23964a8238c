import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Interrupts a connection from the abort of the signal until the returned function is called. The interrupt repeats, because
 * one between two steps of the engine has no effect.
 */
export function interruptOnAbort(connection: Pick<DuckDBConnection, "interrupt">, signal: AbortSignal): () => void {
  let repeat: NodeJS.Timeout | undefined;
  const begin = (): void => {
    connection.interrupt();
    repeat = setInterval(() => connection.interrupt(), 20);
  };
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return () => {
    clearInterval(repeat);
    signal.removeEventListener("abort", begin);
  };
}
