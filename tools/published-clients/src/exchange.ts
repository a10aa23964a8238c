import type { Subject } from "./subject.ts";

/** JSON object of unknown members. */
export type Members = Readonly<Record<string, unknown>>;

/** HTTP answer. */
interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members;
}

export interface Caller {
  /** Posts a body. */
  post(
    body: string,
    options?: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Exchange>;
  /** Makes a call and returns its `result`, with the type that the caller expects. Throws if there is no result. */
  call<Result = Members>(method: string, params: unknown): Promise<Result>;
}

/** Sends raw calls, without a client. */
export function createCaller({ url, apiKey }: Pick<Subject, "url" | "apiKey">): Caller {
  let lastId = 0;
  const post: Caller["post"] = async (body, { path = "/json-rpc", headers = {} } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey, ...headers },
      body,
    });
    const parsed: unknown = await response.json();
    return { status: response.status, headers: response.headers, body: parsed as Members };
  };
  return {
    post,
    async call<Result>(method: string, params: unknown) {
      const { body } = await post(envelope(++lastId, method, params));
      if (body.result === undefined) throw new Error(`${method} answered ${JSON.stringify(body.error)}`);
      return body.result as Result;
    },
  };
}

export function envelope(id: number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: [params] });
}
