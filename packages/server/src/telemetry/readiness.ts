import { setTimeout as sleep } from "node:timers/promises";

/** State of a server for a load balancer. */
export type Readiness =
  | { readonly status: "ready" | "draining" }
  /** The server cannot reach these systems. */
  | { readonly status: "unavailable"; readonly missing: readonly string[] };

const timeoutMs = 2_000;
/** Time for which the result of a check is used again, so that frequent requests do not load the systems. */
const maxAgeMs = 1_000;

/**
 * @param isOpen returns false once the server begins to shut down
 * @param systems calls that reject while a system cannot be reached, by its name
 */
export function createReadiness(
  isOpen: () => boolean,
  systems: Readonly<Record<string, () => Promise<unknown>>>,
): () => Promise<Readiness> {
  let checking: Promise<readonly string[]> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function missingSystems(): Promise<readonly string[]> {
    const checks = Object.entries(systems).map(async ([name, check]) => ((await succeeds(check)) ? [] : [name]));
    return (await Promise.all(checks)).flat();
  }

  return async () => {
    if (!isOpen()) return { status: "draining" };
    if (performance.now() - checkedAt >= maxAgeMs) {
      checkedAt = performance.now();
      checking = missingSystems();
    }
    const missing = (await checking) ?? [];
    return missing.length === 0 ? { status: "ready" } : { status: "unavailable", missing };
  };
}

async function succeeds(check: () => Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const late = sleep(timeoutMs, false, { signal: over.signal, ref: false });
  const done = Promise.resolve()
    .then(check)
    .then(
      () => true,
      () => false,
    );
  try {
    return await Promise.race([done, late]);
  } finally {
    late.catch(() => {}); // aborted below
    over.abort();
  }
}
