import { StatementError } from "@quern/adapter";
import type { Client } from "pg";

/** Largest row or error of PostgreSQL, in bytes. The client library has all of it in memory, as a buffer and as texts. */
export const maxMessageBytes = 16_777_216;

const headerBytes = 5;

/**
 * Fails the query in progress, and closes the connection, when a message begins that would take too much memory. Call it
 * once, after the client has connected.
 */
export function limitMessages({ connection }: Client): void {
  const { stream } = connection;
  // The stream of a COPY takes the only listener off, and calls it again with the messages after the rows.
  const [parse] = stream.listeners("data");
  stream.removeAllListeners("data");
  const isTooLong = createMessageScan();
  stream.on("data", (chunk: Buffer) => {
    if (stream.destroyed) return;
    if (!isTooLong(chunk)) return void parse?.call(stream, chunk);
    stream.destroy();
    connection.emit("errorMessage", tooLarge());
  });
}

/** Returns a function that is called with each chunk of a connection, and returns true if a message has too many bytes. */
function createMessageScan(): (chunk: Buffer) => boolean {
  let header: Buffer = Buffer.alloc(0);
  /** Bytes of the message that have not arrived. */
  let rest = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (rest > 0) {
        const length = Math.min(rest, chunk.length - at);
        rest -= length;
        at += length;
      } else if (header.length === 0 && chunk.length - at >= headerBytes) {
        rest = chunk.readUInt32BE(at + 1) - 4;
        at += headerBytes;
      } else {
        const more = chunk.subarray(at, at + headerBytes - header.length);
        header = Buffer.concat([header, more]);
        at += more.length;
        if (header.length < headerBytes) return false;
        rest = header.readUInt32BE(1) - 4;
        header = Buffer.alloc(0);
      }
      if (rest > maxMessageBytes) return true;
    }
    return false;
  };
}

function tooLarge(): StatementError {
  return new StatementError({
    name: "ResultTooLarge",
    message: `A row, or the message of an error, is larger than ${maxMessageBytes} bytes; select shorter values.`,
    data: { category: "RESOURCE", engine: "postgres", retryable: false },
  });
}
