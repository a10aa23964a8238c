import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";

/** Creates a namespace for one test on the mock of MOCK_URL and MOCK_ADMIN_URL, by plain HTTP. */
export interface Namespace {
  readonly url: string;
  readonly apiKey: string;
  when(match: string, outcome: object): Promise<void>;
  /** SQL of each create, in order. */
  statements(): Promise<readonly string[]>;
}

export async function mintNamespace(): Promise<Namespace> {
  const { MOCK_URL: url = "", MOCK_ADMIN_URL: admin = "" } = process.env;
  const call = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    // Not by `fetch`, because pages may not call the admin API.
    const outgoing = request(`${admin}/json-rpc`, { method: "POST", headers: { "content-type": "application/json" } });
    const [answer] = await once(outgoing.end(body), "response");
    const reply = JSON.parse(await text(answer));
    if (reply.error) throw new Error(JSON.stringify(reply.error));
    return reply.result;
  };
  const { apiKey } = await call("createNamespace", { strict: true });
  return {
    url,
    apiKey,
    when: (match, outcome) => call("stubStatement", { apiKey, match, ...outcome }),
    async statements() {
      const { calls } = await call("getHistory", { apiKey });
      const creates = calls.filter(({ method }: { readonly method: string }) => method === "createQueryRun");
      return creates.map(({ params }: { readonly params: { readonly sql: string } }) => params.sql);
    },
  };
}

export const sql = "select name from cars";
/** Returns the rows of the nth test. The same statement has different rows in each namespace. */
export const rowsOf = (suite: string, number: number) => [{ name: `${suite} ${number}` }, { name: "fiat 128" }];
export const testsOfSuite = 20;
