import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Interrupts what a connection does from when the signal is aborted until the function it returns is called: an
 * interrupt that comes between two steps of the engine is lost, so it is repeated.
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
