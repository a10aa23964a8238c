import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alternately, bounded, median } from "../measure.ts";
import { finishedRun, readyUrl, startService } from "../service.ts";

const ROUNDS = 7;
const CALLS = 2_000;
const CONNECTIONS = 16;
/** Statement whose result answers the calls of {@link post}. */
export const reusedSql = "select 1 as n";
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "createQueryRun",
  params: [{ sql: reusedSql, maxAgeMinutes: 1_440, resultTTLHours: 1, tags: {} }],
});
const PEER = fileURLToPath(new URL("./insert-server.ts", import.meta.url));

/** Measures creates that a stored result answers, beside a server that only writes each call to disk. */
export async function reusedCreates(): Promise<void> {
  await using service = await startService();
  await finishedRun(service.client, reusedSql);
  const peer = spawn(process.execPath, [PEER, join(service.folder, "peer.sqlite")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const load = (url: string) => () => postAll(url, service.apiKey, agent);
  try {
    const ours = load(service.url);
    const theirs = load(await readyUrl(peer));
    await alternately(1, ours, theirs);
    const times = await alternately(ROUNDS, ours, theirs);
    const rate = (values: readonly number[]) => (CALLS / median(values)) * 1_000;
    console.log(
      `${CALLS} creates on ${CONNECTIONS} connections, medians of ${ROUNDS}: service ${rate(times.ours).toFixed(0)} a second, node:http with one insert ${rate(times.theirs).toFixed(0)} a second`,
    );
    bounded({ what: "ratio", value: rate(times.ours) / rate(times.theirs), atLeast: 0.5 });
  } finally {
    agent.destroy();
    peer.kill();
  }
}

async function postAll(url: string, apiKey: string, agent: Agent): Promise<void> {
  let left = CALLS;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await post(url, apiKey, agent);
    }),
  );
}

/** Creates a run that a stored result answers. */
export function post(url: string, apiKey: string, agent: Agent): Promise<void> {
  const headers = { "content-type": "application/json", "content-length": body.length, "x-api-key": apiKey };
  return new Promise((resolve, reject) => {
    const call = request(`${url}/json-rpc`, { method: "POST", headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200 && !text.includes('"error"')) resolve();
        else reject(new Error(`${response.statusCode} ${text}`));
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}
