import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

const sslRequest = 80_877_103;

/** Refusal of the server: it asks for a password by SCRAM, or reports an error with a SQLSTATE. */
export type Refusal = "scram" | { readonly code: string; readonly message: string };

/** Starts a server that speaks the protocol of PostgreSQL, has no TLS, and refuses each client. Returns its address. */
export async function startRefusingPostgres(refusal: Refusal): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (data.length < 8) return; // the client ends the connection
      if (data.readInt32BE(4) === sslRequest) socket.write("N");
      else if (refusal !== "scram")
        socket.end(message("E", Buffer.from(`SFATAL\0C${refusal.code}\0M${refusal.message}\0\0`)));
      else if (data[0] === "p".charCodeAt(0))
        socket.write(message("R", Buffer.concat([int32(11), Buffer.from("r=a")])));
      else socket.write(message("R", Buffer.concat([int32(10), Buffer.from("SCRAM-SHA-256\0\0")])));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://quern_reader@127.0.0.1:${(server.address() as AddressInfo).port}/shop`;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
