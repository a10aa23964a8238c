import { setTimeout as sleep } from "node:timers/promises";

/** State of a server for a load balancer. */
export type Readiness =
  | { readonly status: "ready" | "draining" }
  /** The server cannot reach these systems. */
  | { readonly status: "unavailable"; readonly missing: readonly string[] };

const timeoutMs = 2_000;
/** Time for which the result of a check is used again, so that frequent requests do not load the systems. */
const maxAgeMs = 1_000;

/** Systems that a server needs, such as its store. */
export interface Systems {
  readonly names: readonly string[];
  /** Lists the systems that cannot be reached, or do not answer within two seconds. Does not reject. */
  missing(): Promise<readonly string[]>;
}

/** @param checks calls that reject while a system cannot be reached, by its name */
export function createSystems(checks: Readonly<Record<string, () => Promise<unknown>>>): Systems {
  let checking: Promise<readonly string[]> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function missingSystems(): Promise<readonly string[]> {
    const missing = Object.entries(checks).map(async ([name, check]) => ((await succeeds(check)) ? [] : [name]));
    return (await Promise.all(missing)).flat();
  }

  return {
    names: Object.keys(checks),
    async missing() {
      if (performance.now() - checkedAt >= maxAgeMs) {
        checkedAt = performance.now();
        checking = missingSystems();
      }
      return (await checking) ?? [];
    },
  };
}

/** @param isOpen returns false once the server begins to shut down */
export function createReadiness(isOpen: () => boolean, systems: Systems): () => Promise<Readiness> {
  return async () => {
    if (!isOpen()) return { status: "draining" };
    const missing = await systems.missing();
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
