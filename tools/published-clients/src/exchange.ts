import type { Subject } from "./subject.ts";

/** Members of a JSON object of which nothing is known before a test has looked. */
export type Members = Readonly<Record<string, unknown>>;

/** HTTP answer. */
interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members;
}

export interface Caller {
  /** Posts a body as it is. */
  post(
    body: string,
    options?: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Exchange>;
  /** Makes one call; its `result`, in the shape that the asking client takes for granted. Throws where there is none. */
  call<Result = Members>(method: string, params: unknown): Promise<Result>;
}

/** Calls as they are on the wire, with no client in between. */
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
