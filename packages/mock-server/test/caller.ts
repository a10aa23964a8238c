import type { MockServer } from "../src/index.ts";

/** Calls a mock's methods through its `fetch`. */
export function callerOf({ fetch, url, apiKey }: Pick<MockServer, "fetch" | "url" | "apiKey">) {
  function post(content: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    return fetch(`${url}/json-rpc`, { method: "POST", headers, body: JSON.stringify(content), ...init });
  }

  const request = (method: string, params: unknown, id = 1) => ({ jsonrpc: "2.0", id, method, params: [params] });

  function send(method: string, params: unknown, init: RequestInit = {}): Promise<Response> {
    return post(request(method, params), init);
  }

  /** Returns the replies to a batch of calls of one method. */
  async function sendAll(method: string, all: readonly unknown[]) {
    const replies = await post(all.map((params, index) => request(method, params, index)));
    return (await replies.json()) as { result: { queryRun: { state: string } } }[]; // the members that tests read
  }

  /** Returns the result of a call. @throws Error with the error object of another answer */
  async function call(method: string, params: unknown) {
    const { result, error } = await (await send(method, params)).json();
    if (error !== undefined) throw new Error(`${method} answered ${JSON.stringify(error)}`);
    return result;
  }

  /** Returns the error of a failing call. */
  async function failure(method: string, params: unknown) {
    return (await (await send(method, params)).json()).error;
  }

  /** Creates a run, and returns its id. */
  async function create(sql: string, params: object = {}): Promise<string> {
    return (await call("createQueryRun", { sql, ...params })).queryRun.id;
  }

  /** Polls a run, and returns its state. */
  async function poll(queryRunId: string): Promise<string> {
    return (await call("getQueryRun", { queryRunId })).queryRun.state.replace("QUERY_STATE_", "");
  }

  return { send, sendAll, call, failure, create, poll };
}
