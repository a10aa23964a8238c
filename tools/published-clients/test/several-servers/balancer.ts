import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Load balancer of TCP connections, which knows neither HTTP nor the state of a server. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Ports of the servers. A connection goes to the next of them that accepts it. */
  readonly ports: Set<number>;
}

export async function startBalancer(): Promise<Balancer> {
  const ports = new Set<number>();
  const open = new Set<Socket>();
  let next = 0;

  function track(socket: Socket): void {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  }

  function forward(incoming: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined) return void incoming.destroy();
    const outgoing = connect(port, "127.0.0.1");
    const onRefused = (): void => forward(incoming, others);
    outgoing.once("error", onRefused);
    outgoing.once("connect", () => {
      outgoing.off("error", onRefused);
      track(outgoing);
      for (const [socket, other] of [[incoming, outgoing] as const, [outgoing, incoming] as const]) {
        socket.on("error", () => other.resetAndDestroy());
        socket.once("close", () => other.destroy());
        socket.pipe(other);
      }
    });
  }

  const server = createServer((incoming) => {
    track(incoming);
    incoming.on("error", () => {}); // the client has ended the connection
    const all = [...ports];
    next += 1;
    forward(incoming, [...all.slice(next % all.length), ...all.slice(0, next % all.length)]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    ports,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
