/** Keeps work with the same key in the order in which it was begun. */
export interface Lanes {
  enter(key: string): Lane;
}

interface Lane {
  /** Resolves when all earlier work with the key has left. */
  readonly earlier: Promise<void>;
  leave(): void;
}

export function createLanes(): Lanes {
  const last = new Map<string, Promise<void>>();
  return {
    enter(key) {
      const earlier = last.get(key) ?? Promise.resolve();
      let left = (): void => {};
      const leaving = new Promise<void>((resolve) => {
        left = resolve;
      });
      const both = earlier.then(() => leaving);
      last.set(key, both);
      return {
        earlier,
        leave() {
          left();
          if (last.get(key) === both) last.delete(key);
        },
      };
    },
  };
}
