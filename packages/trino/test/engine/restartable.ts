import { readdir, readFile, readlink } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { eventually } from "../../../server/test/fixture.ts";
import type { TestTrino } from "./test-trino.ts";
import { startTrino } from "./trino.ts";

/** Trino behind an address that stays the same, so that a test can kill Trino and start it again. */
export interface RestartableTrino extends Pick<TestTrino, "http" | "version" | "address">, AsyncDisposable {
  /** Kills the coordinator with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startRestartableTrino(options: Parameters<typeof startTrino>[0] = {}): Promise<RestartableTrino> {
  const first = await startTrino(options);
  let trino: TestTrino | undefined = first;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(portOf(trino), "127.0.0.1");
    for (const [socket, other] of [[incoming, outgoing] as const, [outgoing, incoming] as const]) {
      sockets.add(socket);
      socket.on("error", () => other.resetAndDestroy());
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port

  async function kill(): Promise<void> {
    const killed = trino;
    const process_ = await listenerOn(portOf(killed));
    process.kill(process_, "SIGKILL");
    await eventually(async () => (await readFile(`/proc/${process_}/stat`, "utf8").catch(() => "Z")).includes("Z"));
    trino = undefined;
    await killed?.[Symbol.asyncDispose]();
  }

  const http = `127.0.0.1:${port}`;
  return {
    http,
    version: first.version,
    address: (...given) => first.address(...given).replace(first.http, http),
    kill,
    async start() {
      trino = await startTrino(options);
    },
    async [Symbol.asyncDispose]() {
      await trino?.[Symbol.asyncDispose]();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a port on which nothing listens while Trino does not run. */
function portOf(trino: TestTrino | undefined): number {
  return trino === undefined ? 1 : Number(trino.http.split(":").at(-1));
}

/** Returns the id of the process that listens on a port, from /proc. */
async function listenerOn(port: number): Promise<number> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const listening = rows.filter(([, local = "", , state]) => local.endsWith(suffix) && state === "0A");
  const links = new Set(listening.map((row) => `socket:[${row[9]}]`));
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const folder = `/proc/${id}/fd`;
    for (const descriptor of await readdir(folder).catch(() => []))
      if (links.has(await readlink(`${folder}/${descriptor}`).catch(() => ""))) return Number(id);
  }
  throw new Error(`No process listens on the port ${port}`);
}
