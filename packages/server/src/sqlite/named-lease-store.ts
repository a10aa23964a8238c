import type { NamedLeaseStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";

interface MemoryLeases extends NamedLeaseStore {
  /** Returns the owners of leases that have not ended. */
  owners(): readonly string[];
}

/** Creates leases in the memory of this process, for a store that one server uses at a time. */
export function createMemoryLeases(now: () => Instant): MemoryLeases {
  const leases = new Map<string, Map<string, Instant>>();
  return {
    owners: () =>
      [...leases.values()].flatMap((held) => [...held].flatMap(([owner, until]) => (until > now() ? owner : []))),
    async take(name, limit, { owner, ms }) {
      const time = now();
      const held = leases.get(name) ?? new Map<string, Instant>();
      for (const [each, until] of held) if (until <= time) held.delete(each);
      if (!held.has(owner) && held.size >= limit) return false;
      leases.set(name, held.set(owner, time + ms));
      return true;
    },
    async release(name, owner) {
      const held = leases.get(name);
      held?.delete(owner);
      if (held?.size === 0) leases.delete(name);
    },
  };
}
