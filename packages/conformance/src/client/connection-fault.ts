import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./case.ts";

const trickleMs = 5;

/** Sends a body with the status, headers and connection of a fault. */
export async function send(response: ServerResponse, fault: Fault, body: Uint8Array): Promise<void> {
  const { status = 200, connection = "normal" } = fault;
  const { socket } = response;
  if (connection === "hang") return;
  if (connection === "stall-mid-headers") return void socket?.write("HTTP/1.1 200 OK\r\ncontent-ty");
  if (connection === "close") return void socket?.destroy();
  if (connection === "reset") return void socket?.resetAndDestroy();
  const length = connection === "byte-by-byte" || connection === "trickle" ? {} : { "content-length": body.length };
  response.writeHead(status, { "content-type": "application/json", ...length, ...withDates(fault.headers) });
  response.flushHeaders();
  if (connection === "byte-by-byte") return sendBytes(response, body);
  if (connection === "trickle") return sendWhitespace(response);
  if (connection === "normal") return void response.end(body);
  if (connection === "close-after-body") return void response.end(body, () => socket?.destroySoon());
  response.write(body.subarray(0, body.length / 2), () => {
    if (connection === "close-mid-body") socket?.destroySoon();
    if (connection === "reset-mid-body") socket?.resetAndDestroy();
  });
}

async function sendBytes(response: ServerResponse, body: Uint8Array): Promise<void> {
  response.socket?.setNoDelay(true);
  for (let at = 0; at < body.length; at += 1) {
    await new Promise((resolve) => response.write(body.subarray(at, at + 1), resolve));
  }
  response.end();
}

async function sendWhitespace(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(" ");
    await sleep(trickleMs);
  }
}

/** Fills the dates of headers. HTTP dates have whole seconds, so `{soon}` is between one and two seconds away. */
function withDates(headers: Fault["headers"] = {}): Record<string, string> {
  const date = (ms: number) => new Date(Date.now() + ms).toUTCString();
  const times = { "{later}": date(3_600_000), "{earlier}": date(-3_600_000), "{soon}": date(2000) };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Object.entries(times).reduce((text, [word, time]) => text.replaceAll(word, time), value),
    ]),
  );
}
