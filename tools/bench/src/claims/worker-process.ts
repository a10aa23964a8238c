/** Process that performs jobs of a queue, and reports each of them to its parent with the time. */
import { queueKinds } from "./queues.ts";

/** Message to the parent: a job has started, or has ended. */
export interface WorkerMessage {
  readonly id: string | null;
  /** Milliseconds since 1970, to the microsecond. */
  readonly at: number;
}

const [kind = "", url = "", slots = ""] = process.argv.slice(2);
const send = (id: string | null): void => {
  process.send?.({ id, at: performance.timeOrigin + performance.now() } satisfies WorkerMessage);
};
await queueKinds[kind]?.work(url, Number(slots), send, () => send(null));
process.on("disconnect", () => process.exit());
send("ready");
