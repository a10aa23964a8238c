/** Thread that reads the database `workerData` for `createThreadReader`. */
import { setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { perform } from "./reader.ts";
import { prepareReads, type Reads } from "./reads.ts";

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
if (process.platform === "linux") setPriority(0, 10);

// Other processes lock the database for a moment, for example while one recovers it. Only this thread waits.
const database = new DatabaseSync(workerData, { readOnly: true, timeout: 5_000 });
const reads = prepareReads(database);

function reply({ id, name, params }: ReadRequest): ReadReply {
  try {
    return { id, value: perform(reads, name, params) };
  } catch (error) {
    return { id, failure: error instanceof Error ? { ...error, message: error.message } : { message: String(error) } };
  }
}

parentPort?.on("message", (request: ReadRequest | undefined) => {
  if (request !== undefined) {
    parentPort?.postMessage(reply(request));
    return;
  }
  database.close();
  parentPort?.close();
});
