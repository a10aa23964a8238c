import { setImmediate } from "node:timers/promises";

/** Returns an object whose methods with these names take a while, so that a case that does not await them fails. */
export function delayed<T extends object>(target: T, names: readonly (keyof T)[]): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || !names.includes(name as keyof T)) return member;
      return async (...params: unknown[]) => {
        for (let turn = 0; turn < 3; turn += 1) await setImmediate();
        return Reflect.apply(member, target, params);
      };
    },
  });
}
