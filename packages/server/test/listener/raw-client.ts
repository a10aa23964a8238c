import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Connects to a server without HTTP, as a client that breaks its rules. */
export async function connectRaw(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}); // a reset ends the connection like a close
  await once(socket, "connect");
  return socket;
}

/** Returns the head of a call with a body of so many bytes. */
export function headOf(bytes: number, headers: Readonly<Record<string, string>> = {}): string {
  const all = { host: "localhost", "content-type": "application/json", "content-length": String(bytes), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /json-rpc HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Returns everything that a connection receives until it is closed. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve)); // `once` would reject after a reset
  return Buffer.concat(chunks).toString();
}
