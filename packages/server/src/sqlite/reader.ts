import type { DatabaseSync } from "node:sqlite";
import type { LogFlush } from "./log-flush.ts";
import { prepareReads, type Reads } from "./reads.ts";

/** Performs the reads of a store outside the event loop, where that is possible. */
export interface Reader {
  /** @param tenantId tenant that the read is for; empty for a read of the service itself */
  read<Name extends keyof Reads>(
    tenantId: string,
    name: Name,
    ...params: Parameters<Reads[Name]>
  ): Promise<ReturnType<Reads[Name]>>;
  /** Closes the connection once the reads in progress have ended. */
  close(): Promise<void>;
}

/** Creates a reader whose answers wait until the changes that they can show are durable. */
export function afterFlush(reader: Reader, flush: Pick<LogFlush, "idle">): Reader {
  return {
    ...reader,
    async read(...read) {
      const answer = await reader.read(...read);
      await flush.idle();
      return answer;
    },
  };
}

/** Performs a read by its name. */
export function perform<Name extends keyof Reads>(
  reads: Reads,
  name: Name,
  params: Parameters<Reads[Name]>,
): ReturnType<Reads[Name]> {
  // TypeScript does not relate the parameters of a member to its name.
  const read = reads[name] as (...params: readonly unknown[]) => ReturnType<Reads[Name]>;
  return read(...params);
}

/** Creates a reader for a database in memory, which only one connection can read. It blocks the event loop. */
export function createDirectReader(database: DatabaseSync): Reader {
  const reads = prepareReads(database);
  return {
    read: async (_, name, ...params) => perform(reads, name, params),
    close: async () => {},
  };
}
