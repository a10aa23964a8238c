import type { DuckDBConnection } from "@duckdb/node-api";

const intervalMs = 500;

/**
 * Reports the progress of what a connection runs until the function it returns is called. The engine knows it for scans of
 * tables and files alone; meanwhile nothing is reported.
 * @param report called with a share from 0 to 1 when it has changed
 */
export function reportProgress(
  connection: Pick<DuckDBConnection, "progress">,
  report: (share: number) => void,
): () => void {
  let last: number | undefined;
  const timer = setInterval(() => {
    const { percentage } = connection.progress;
    if (percentage < 0 || percentage === last) return; // -1: the engine does not know
    last = percentage;
    report(Math.min(percentage / 100, 1));
  }, intervalMs);
  return () => clearInterval(timer);
}
