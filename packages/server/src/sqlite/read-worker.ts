/** Thread that reads the database at `workerData.path` for `createThreadReader`. */
import { setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { perform } from "./reader.ts";
import { prepareReads, type Reads } from "./reads.ts";

/** Priority of a thread: that of the process, or lower. */
export type ThreadPriority = "normal" | "low";

/** Read to perform. */
export interface ReadRequest {
  readonly id: number;
  readonly name: keyof Reads;
  readonly params: Parameters<Reads[keyof Reads]>;
}

/** Value or failure of a read. A failure has the members of the error, such as `errcode`, which a cloned error loses. */
export type ReadReply =
  | { readonly id: number; readonly value: unknown; readonly failure?: undefined }
  | { readonly id: number; readonly value?: undefined; readonly failure: { readonly message: string } };

// Large reads must not take processor time from calls and pages. On other systems this would lower the whole process.
if (process.platform === "linux" && workerData.priority === "low") setPriority(0, 10);

// Other processes lock the database for a moment, for example while one recovers it. Only this thread waits.
const database = new DatabaseSync(workerData.path, { readOnly: true, timeout: 5_000 });
const reads = prepareReads(database);

function reply({ id, name, params }: ReadRequest): ReadReply {
  try {
    return { id, value: perform(reads, name, params) };
  } catch (error) {
    return { id, failure: error instanceof Error ? { ...error, message: error.message } : { message: String(error) } };
  }
}

/** Returns the bytes of a page, which are moved to the other thread instead of copied. */
function bytesOf(value: unknown): ArrayBuffer[] {
  const { json } = Object(value) as { readonly json?: unknown };
  return json instanceof Uint8Array && json.buffer instanceof ArrayBuffer ? [json.buffer] : [];
}

parentPort?.on("message", (request: ReadRequest | undefined) => {
  if (request !== undefined) {
    const answer = reply(request);
    parentPort?.postMessage(answer, bytesOf(answer.value));
    return;
  }
  database.close();
  parentPort?.close();
});
