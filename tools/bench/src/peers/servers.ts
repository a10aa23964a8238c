import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Server of another project with the table `t`. */
export interface Peer extends AsyncDisposable {
  readonly name: string;
  /** Fetches the whole result of a statement as Arrow. */
  query(sql: string): Promise<void>;
}

const QUACK = fileURLToPath(new URL("quack.py", import.meta.url));

/** Program of Mosaic's server. Before Python 3.12 its decoder does not know the alias of the union of commands. */
const MOSAIC = `
from pkg import app, commands
from pkg.__main__ import serve
app.Command = commands.ArrowRequest | commands.ExecRequest
serve()`;

/** Starts Quack, and its client as a process of its own. @param file Parquet file of the table */
export async function startQuack(python: string, file: string): Promise<Peer> {
  const port = String(await freePort());
  const server = spawn(python, [QUACK, "serve", port, file], { stdio: ["pipe", "pipe", "inherit"] });
  await once(createInterface({ input: server.stdout }), "line");
  const client = spawn(python, [QUACK, "query", port], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = new EventEmitter();
  answers.setMaxListeners(0); // one for each caller
  createInterface({ input: client.stdout }).on("line", (line) => answers.emit(line.split(" ", 1)[0] ?? ""));
  client.once("exit", (code) => answers.emit("error", new Error(`the client of Quack ended with ${code}`)));
  let count = 0;
  return {
    name: "Quack",
    async query(sql) {
      count += 1;
      const id = String(count);
      client.stdin.write(`${id} ${sql}\n`);
      await once(answers, id);
    },
    async [Symbol.asyncDispose]() {
      client.removeAllListeners("exit");
      await Promise.all([client, server].map(ended));
    },
  };
}

/** Starts the server of Mosaic. @param file Parquet file of the table */
export async function startMosaic(python: string, file: string): Promise<Peer> {
  const port = await freePort();
  const server = spawn(python, ["-c", MOSAIC, "--port", String(port)], { stdio: "ignore" });
  const agent = new Agent({ keepAlive: true });
  const send = (type: string, sql: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const call = request({ host: "127.0.0.1", port, method: "POST", agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`Mosaic answered ${response.statusCode}`));
        response.on("error", reject).on("end", resolve).resume();
      });
      call.on("error", reject).end(JSON.stringify({ type, sql }));
    });
  for (let tries = 0; ; tries += 1) {
    try {
      await send("exec", `CREATE TABLE t AS FROM '${file}'`);
      break;
    } catch (error) {
      if (tries === 100) throw error;
      await setTimeout(100); // the server does not tell when it listens
    }
  }
  return {
    name: "Mosaic",
    query: (sql) => send("arrow", sql),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await ended(server);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // an address object, because the server listens on a port
  server.close();
  await once(server, "close");
  return port;
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill();
  await exit;
}
