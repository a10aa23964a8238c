import { deepStrictEqual } from "node:assert";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "./attacks.ts";

/** Calls that a tenant makes. */
const tenantCalls = ["healthz", "create", "poll", "page"] as const;

type TenantCall = (typeof tenantCalls)[number];

/** Response times of each call, in milliseconds. */
export type CallTimes = Readonly<Record<TenantCall, readonly number[]>>;

const healthzEveryMs = 10;
/** Timeout of a call, for a service that hangs. */
const callTimeoutMs = 10_000;
/** Timeout of a run of 100 rows. */
const runTimeoutMs = 60_000;

/**
 * Calls the service as a tenant for a time: one loop reads `/healthz`, another one runs statements to their end and reads
 * a page of each. Rejects unless each call is answered correctly within 10 s. Run it in another process than the attacks,
 * which would delay its calls too.
 */
export async function makeCalls({ url, apiKey }: Target, forMs: number): Promise<CallTimes> {
  const agent = new Agent({ keepAlive: true });
  const times: Record<TenantCall, number[]> = { healthz: [], create: [], poll: [], page: [] };
  const endAt = performance.now() + forMs;
  let calls = 0;

  async function call(name: TenantCall, path: string, method?: string, params?: object): Promise<Answer> {
    const start = performance.now();
    const body = method && JSON.stringify({ jsonrpc: "2.0", id: ++calls, method, params: [params] });
    const text = await send(agent, `${url}${path}`, apiKey, body).catch((error) => {
      throw new Error(`${name} failed`, { cause: error });
    });
    times[name].push(performance.now() - start);
    const { result } = JSON.parse(text);
    if (method !== undefined && result === undefined) throw new Error(`${name} is refused: ${text}`);
    return result;
  }

  async function readHealth(): Promise<void> {
    while (performance.now() < endAt) {
      await call("healthz", "/healthz");
      await sleep(healthzEveryMs);
    }
  }

  async function runStatements(): Promise<void> {
    while (performance.now() < endAt) {
      const first = calls;
      const sql = `select ${first} + range as n from range(100)`;
      let { queryRun } = await call("create", "/json-rpc", "createQueryRun", { sql });
      const queryRunId = queryRun.id;
      const start = performance.now();
      while (queryRun.endedAt === null) {
        if (performance.now() > start + runTimeoutMs) throw new Error(`the run is still ${queryRun.state}`);
        await sleep(healthzEveryMs);
        ({ queryRun } = await call("poll", "/json-rpc", "getQueryRun", { queryRunId }));
      }
      const { rows } = await call("page", "/json-rpc", "getQueryRunResults", { queryRunId, format: "json" });
      deepStrictEqual(
        rows,
        Array.from({ length: 100 }, (_, row) => ({ n: first + row })),
      );
    }
  }

  try {
    await Promise.all([readHealth(), runStatements()]);
  } finally {
    agent.destroy();
  }
  return times;
}

/** Part of the results that the calls need. */
interface Answer {
  readonly queryRun: { readonly id: string; readonly state: string; readonly endedAt: string | null };
  readonly rows: unknown;
}

/** Sends a GET, or a POST if there is a body. Rejects unless the service answers with HTTP 200 within 10 s. */
function send(agent: Agent, url: string, apiKey: string, body: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const method = body === undefined ? "GET" : "POST";
    const signal = AbortSignal.timeout(callTimeoutMs);
    const sent = request(url, { agent, method, headers, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`HTTP ${response.statusCode}: ${text}`)),
      );
    });
    sent.on("error", reject).end(body);
  });
}
