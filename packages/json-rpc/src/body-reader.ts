import type { IncomingMessage } from "node:http";
import { smallBodyBytes } from "./admission.ts";

/** Body in memory. */
interface ReadBody {
  readonly bytes: Uint8Array;
  /** Call it once, when the request has been answered. */
  release(): void;
}

/**
 * Reads bodies of requests. The result is `too large` for a body above `maxBytes`, `overloaded` while other bodies take
 * the memory, and `closed` if the client disconnects. Then nothing of the body is kept.
 */
export interface BodyReader {
  read(request: IncomingMessage, maxBytes: number): Promise<ReadBody | "too large" | "overloaded" | "closed">;
}

/** @param maxBufferedBytes maximum size of all bodies that have not been released, without those of at most 64 kB */
export function createBodyReader(maxBufferedBytes: number): BodyReader {
  let buffered = 0;

  return {
    read: (request, maxBytes) =>
      new Promise((resolve) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        let counted = 0;
        const release = (): void => {
          buffered -= counted;
          counted = 0;
        };
        const fail = (fault: "too large" | "overloaded" | "closed"): void => {
          request.off("data", collect).off("end", finish).off("close", disconnect);
          release();
          resolve(fault);
        };
        const collect = (chunk: Buffer): void => {
          bytes += chunk.length;
          const uncounted = bytes > smallBodyBytes ? bytes - counted : 0;
          if (bytes > maxBytes) fail("too large");
          else if (buffered + uncounted > maxBufferedBytes) fail("overloaded");
          else {
            buffered += uncounted;
            counted += uncounted;
            chunks.push(chunk);
          }
        };
        const finish = (): void => {
          request.off("close", disconnect);
          // `release` keeps the variables of this scope in memory until the request is answered.
          resolve({ bytes: join(chunks.splice(0)), release });
        };
        const disconnect = (): void => fail("closed");
        if (request.destroyed) resolve("closed");
        else request.on("data", collect).on("end", finish).on("close", disconnect);
      }),
  };
}

function join(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
