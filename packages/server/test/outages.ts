import { UnavailableError } from "@quern/adapter";

/** Fake outage of a store or result store, whose records are those of a real one. */
export interface FakeOutage<T> {
  readonly store: T;
  /** While it is true, all calls fail as those of a database that cannot be reached. */
  isAway: boolean;
}

export function createFakeOutage<T extends object>(real: T): FakeOutage<T> {
  function wrapped<U extends object>(target: U): U {
    return new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === "object" && member !== null) return wrapped(member);
        if (typeof member !== "function" || name === "subscribe" || name === "close") return member;
        return async (...params: unknown[]) => {
          if (outage.isAway) throw new UnavailableError("The database of the test cannot be reached.");
          const answer: unknown = await Reflect.apply(member, target, params);
          // An answer that was under way is lost, too.
          if (outage.isAway) throw new UnavailableError("The database of the test cannot be reached.");
          return answer;
        };
      },
    });
  }
  const outage: FakeOutage<T> = { store: wrapped(real), isAway: false };
  return outage;
}
