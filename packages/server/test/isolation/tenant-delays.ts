import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "./attacks.ts";

/** Calls that a tenant measures. */
const measuredCalls = ["healthz", "create", "poll", "page"] as const;

/** 99th percentile of the response time of each call, in milliseconds. */
export type Delays = Readonly<Record<(typeof measuredCalls)[number], number>>;

const healthzEveryMs = 10;

/**
 * Measures a tenant for a time: one loop reads `/healthz`, another one runs statements to their end and reads a page of
 * each. Measure in another process than the attacks, which would delay the measurements too.
 */
export async function measureDelays({ url, apiKey }: Target, forMs: number): Promise<Delays> {
  const agent = new Agent({ keepAlive: true });
  const times: Record<keyof Delays, number[]> = { healthz: [], create: [], poll: [], page: [] };
  const endAt = performance.now() + forMs;
  let calls = 0;

  async function call(name: keyof Delays, path: string, method?: string, params?: object): Promise<Answer> {
    const start = performance.now();
    const body = method && JSON.stringify({ jsonrpc: "2.0", id: ++calls, method, params: [params] });
    const text = await send(agent, `${url}${path}`, apiKey, body);
    times[name].push(performance.now() - start);
    return JSON.parse(text).result;
  }

  async function readHealth(): Promise<void> {
    while (performance.now() < endAt) {
      await call("healthz", "/healthz");
      await sleep(healthzEveryMs);
    }
  }

  async function runStatements(): Promise<void> {
    while (performance.now() < endAt) {
      const sql = `select ${calls} + range as n from range(100)`;
      let { queryRun } = await call("create", "/json-rpc", "createQueryRun", { sql });
      const queryRunId = queryRun.id;
      while (queryRun.endedAt === null) {
        await sleep(healthzEveryMs);
        ({ queryRun } = await call("poll", "/json-rpc", "getQueryRun", { queryRunId }));
      }
      await call("page", "/json-rpc", "getQueryRunResults", { queryRunId, format: "json" });
    }
  }

  await Promise.all([readHealth(), runStatements()]);
  agent.destroy();
  const p99 = (name: keyof Delays): number => Math.round(percentile(times[name], 0.99) * 10) / 10;
  return { healthz: p99("healthz"), create: p99("create"), poll: p99("poll"), page: p99("page") };
}

/** Part of the results that the measurement needs. */
interface Answer {
  readonly queryRun: { readonly id: string; readonly endedAt: string | null };
}

/** Sends a GET, or a POST if there is a body. Rejects unless the service answers with HTTP 200. */
function send(agent: Agent, url: string, apiKey: string, body: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const sent = request(url, { agent, method: body === undefined ? "GET" : "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`HTTP ${response.statusCode}: ${text}`)),
      );
    });
    sent.on("error", reject).end(body);
  });
}

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
