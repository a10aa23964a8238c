import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { AttackName, Report, Target } from "./attacks.ts";

export interface AttackProcess extends AsyncDisposable {
  /** Counts of each attack so far, by its name. */
  reports(): Promise<Readonly<Partial<Record<AttackName, Report>>>>;
}

/** Starts attacks in a process of their own, which runs them until it is disposed of. */
export function startAttacks(names: readonly AttackName[], { url, apiKey }: Target): AttackProcess {
  const worker = fork(fileURLToPath(new URL("./attack-worker.ts", import.meta.url)), [url, apiKey, ...names]);
  return {
    async reports() {
      const answer = once(worker, "message");
      worker.send("report");
      const [reports] = await answer;
      return reports as Readonly<Partial<Record<AttackName, Report>>>; // the worker sends them
    },
    async [Symbol.asyncDispose]() {
      const ended = once(worker, "exit");
      worker.disconnect();
      await ended;
    },
  };
}
