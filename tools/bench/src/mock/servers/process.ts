import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** Mock server in its own process. */
export interface MockProcess extends AsyncDisposable {
  /** Time from the start to the first answer, in milliseconds. */
  readonly coldMs: number;
  /**
   * Polls a run `calls` times, from 64 callers at once. Returns the processor time of the server for each poll, in
   * microseconds.
   */
  pollUs(calls: number): Promise<number>;
}

const callers = 64;
const headers = { "content-type": "application/json", "x-api-key": "bench" };

export async function startMock(name: string): Promise<MockProcess> {
  const start = performance.now();
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function line() {
    const { done, value } = await lines.next();
    if (done) throw new Error(`${name} has ended`);
    return JSON.parse(value);
  }
  const { url } = await line();
  const agent = new Agent({ keepAlive: true, maxSockets: callers });

  async function call(method: string, params: object) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    const sent = request(url, { method: "POST", headers, agent }).end(body);
    const [response] = await once(sent, "response");
    const { result, error } = JSON.parse(await text(response));
    if (result?.queryRun === undefined) throw new Error(`${name} answered ${JSON.stringify(error)}`);
    return result.queryRun;
  }

  const { id: queryRunId } = await call(...firstCall(name));
  const coldMs = performance.now() - start;

  async function cpuUs(): Promise<number> {
    child.stdin.write("\n");
    return (await line()).cpuUs;
  }

  return {
    coldMs,
    async pollUs(calls) {
      let left = calls;
      const before = await cpuUs();
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (left-- > 0) await call("getQueryRun", { queryRunId });
        }),
      );
      return ((await cpuUs()) - before) / calls;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

/**
 * Returns the call whose result has the run to poll. A server without state answers it with the example of the OpenRPC
 * document.
 */
function firstCall(name: string): [method: string, params: object] {
  if (name === "quern") return ["createQueryRun", { sql: "select 1", waitSeconds: 1 }];
  return ["getQueryRun", { queryRunId: "run_8d41c7" }];
}
