// Child with a task that ends after an interrupt, and one that ignores it.
// The built package is used, because its processes start faster than from sources.
import { serveParent } from "../../dist/processes/serving.js";

serveParent({
  echo: async (argument) => argument,
  never: () => new Promise(() => setInterval(() => {}, 1_000)),
  obedient: (_, signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("it was asked to give up")))),
  slow: async (_, __, report) => {
    for (const share of [0.25, 0.5]) report(share);
    return "done";
  },
  crash: async () => process.kill(process.pid, "SIGTERM"),
  environment: async () => ({ ...process.env, cwd: process.cwd() }),
});
