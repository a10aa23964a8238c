import { afterAll, vi } from "vitest";

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
const saved: { [key: symbol]: object | undefined } = globalThis as object as typeof saved;
const key = Symbol.for("quern.realTimers");
/** Timers of the process before its first file of tests. */
const real = saved[key] ?? { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
saved[key] = real;

/** Longest wait for what happens soon, in milliseconds; the default of vitest, 1 s, is short on a loaded machine. */
const soon = 20_000;
const { waitFor, waitUntil } = vi;
if (!("quernWaits" in vi))
  Object.assign(vi, {
    quernWaits: true, // the files of a process share `vi`
    waitFor: ((callback, options) =>
      waitFor(
        callback,
        typeof options === "number" ? options : { timeout: soon, ...options },
      )) satisfies typeof waitFor,
    waitUntil: ((callback, options) =>
      waitUntil(
        callback,
        typeof options === "number" ? options : { timeout: soon, ...options },
      )) satisfies typeof waitUntil,
  });

// Files of tests share a process. Fake timers and spies on globals that a file leaves would stop the files after it. The
// end of a spy on a fake timer even brings back the fake one, so the real ones are set last.
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  Object.assign(globalThis, real);
});
