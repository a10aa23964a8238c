/**
 * Clients that `calls` compares. Each process loads only the client of its first argument, because other modules would
 * slow it.
 */

/** One measurement: a number of callers make calls for a time, each caller one call after another. */
export interface Round {
  readonly callers: number;
  readonly ms: number;
}

type Call = () => Promise<unknown>;

const [name = "", url = ""] = process.argv.slice(2);
const endpoint = `${url}/json-rpc`;
const params = { queryRunId: "run" };
const apiKey = "any text";
const post = {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": apiKey },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getQueryRun", params: [params] }),
} as const;

const callers: Readonly<Record<string, () => Promise<Call>>> = {
  async quern() {
    const { createClient, getQueryRun } = await import("@quern/client");
    const client = createClient({ url, apiKey });
    return () => getQueryRun(client, params);
  },
  async fetch() {
    return async () => (await fetch(endpoint, post)).json();
  },
  /** The minimum on Node without dependencies. */
  async http() {
    const { Agent, request } = await import("node:http");
    const { text } = await import("node:stream/consumers");
    const agent = new Agent({ keepAlive: true });
    const { body, ...options } = post;
    return () =>
      new Promise((resolve, reject) => {
        const outgoing = request(endpoint, { ...options, agent }, (reply) =>
          text(reply).then(JSON.parse).then(resolve, reject),
        );
        outgoing.on("error", reject);
        outgoing.end(body);
      });
  },
  async undici() {
    const { request } = await import("undici");
    return async () => (await request(endpoint, post)).body.json();
  },
  async trpc() {
    const { createTRPCUntypedClient, httpBatchLink } = await import("@trpc/client");
    const client = createTRPCUntypedClient({ links: [httpBatchLink({ url: `${url}/trpc`, methodOverride: "POST" })] });
    return () => client.query("getQueryRun", params);
  },
  async viem() {
    const { createClient, http } = await import("viem");
    const client = createClient({ transport: http(endpoint, { batch: true }) });
    return () => client.request({ method: "eth_blockNumber" });
  },
  async flipside() {
    const { Flipside } = await import("@flipsidecrypto/sdk");
    const { query } = new Flipside(apiKey, url);
    return () => query.getQueryRun(params);
  },
};

/** Runs a round of calls for each message, and answers with the calls per second. */
function playRounds(call: Call): void {
  process.on("message", async ({ callers, ms }: Round) => {
    const start = performance.now();
    let done = 0;
    const caller = async () => {
      for (; performance.now() - start < ms; done += 1) await call();
    };
    await Promise.all(Array.from({ length: callers }, caller));
    process.send?.((done / (performance.now() - start)) * 1_000);
  });
}

const create = callers[name];
if (create === undefined) throw new Error(`unknown caller: ${name}; use one of ${Object.keys(callers).join(", ")}`);
playRounds(await create());
