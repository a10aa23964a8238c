// A child that answers `echo`, and nothing else: not even when it is asked to give up.
import { serveParent } from "../../src/processes/serving.ts";

serveParent({
  echo: async (argument) => argument,
  never: () => new Promise(() => setInterval(() => {}, 1_000)),
  crash: async () => process.kill(process.pid, "SIGTERM"),
  environment: async () => ({ ...process.env, cwd: process.cwd() }),
});
