import { afterAll, vi } from "vitest";

// Files of tests share a process. Fake timers and spies on globals that a file leaves would stop those after it.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
