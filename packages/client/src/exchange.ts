import { decodeReply } from "@quern/json-rpc/envelope";
import type { Call } from "./call.ts";
import { pause } from "./deadline.ts";
import { parseJson } from "./json.ts";
import { type ErrorDetails, type ErrorKind, QuernError } from "./quern-error.ts";
import { isTransient, isUntouched, retryDelayMs, withoutKey } from "./retry.ts";
import { type Tracer, traced } from "./tracer.ts";
import type { HttpReply, Transport } from "./transport.ts";

export interface ExchangeOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly transport: Transport;
  /** Further attempts after a transient fault. */
  readonly retries: number;
  /** Longest wait between attempts that is worth it, in milliseconds. */
  readonly timeoutMs: number;
  readonly tracer: Tracer | undefined;
  /** Called when the server turns out not to know batches. */
  onNoBatch(): void;
}

/** Brings a group of calls to the server and settles each of them. Never rejects. */
export type Exchange = (calls: readonly Call[]) => Promise<void>;

export function createExchange(options: ExchangeOptions): Exchange {
  const { url, apiKey, transport, retries, timeoutMs, tracer } = options;
  const headers = { "content-type": "application/json", accept: "application/json", "x-api-key": apiKey };

  function attempt(calls: readonly Call[], signal: AbortSignal): Promise<HttpReply> {
    const methods = calls.map(({ descriptor }) => descriptor.name);
    const texts = calls.map(({ text }) => text);
    const body = texts.length > 1 ? `[${texts.join()}]` : texts.join();
    return traced(
      tracer,
      "quern.http",
      { "rpc.method": methods.join(), "rpc.batch.size": methods.length },
      async (span) => {
        const reply = await transport({ url, headers, body, signal, methods });
        span?.setAttribute("http.response.status_code", reply.status);
        return reply;
      },
    );
  }

  return async function exchange(calls) {
    const controller = new AbortController();
    const { signal } = controller;
    let open = calls;
    for (const call of calls) {
      call.sent = true;
      call.onLeave = () => {
        if (open.every(({ settled }) => settled)) controller.abort();
      };
    }
    for (let tries = 0; ; tries += 1) {
      let reply: HttpReply | undefined;
      let failure: unknown;
      try {
        reply = await attempt(open, signal);
      } catch (error) {
        failure = error;
      }
      open = open.filter(({ settled }) => !settled);
      const delayMs = retryDelayMs(reply, tries);
      if (isTransient(reply) && tries < retries && delayMs < timeoutMs && open.length > 0) {
        // What must not happen twice is given up here; the others go on without it.
        if (!isUntouched(reply, failure))
          fail(
            open.filter(({ options }) => options.once),
            reply,
            failure,
          );
        await pause(delayMs, signal);
        open = open.filter(({ settled }) => !settled);
        if (open.length > 0) continue;
      }
      for (const call of open) call.onLeave = undefined;
      if (reply) deliver(open, reply);
      else fail(open, reply, failure);
      return;
    }
  };

  function deliver(calls: readonly Call[], reply: HttpReply): void {
    const { status, text } = reply;
    const value = tryJson(text);
    if (calls.length > 1 && !Array.isArray(value) && isBatchRefusal(status, value)) {
      options.onNoBatch();
      for (const call of calls) void createExchange(options)([call]);
      return;
    }
    const byId = new Map(calls.map((call) => [String(call.id), call]));
    for (const item of Array.isArray(value) ? value : [value]) {
      const decoded = decodeReply(item);
      if (!decoded || (status >= 500 && item === value)) continue;
      const { id, error } = decoded;
      const named = byId.get(String(id));
      // An answer without an id that stands alone speaks to everyone it can mean.
      for (const call of named ? [named] : item === value && (id ?? null) === null ? calls : []) {
        if (error) call.fail(rpcError(call, error, status));
        else if (calls.length === 1 || named) call.succeed(decoded.result);
      }
    }
    fail(calls, reply);
  }

  /** Fails those that are not settled yet. */
  function fail(calls: readonly Call[], reply: HttpReply | undefined, failure?: unknown): void {
    const [kind, text, details]: [ErrorKind, string, ErrorDetails] = !reply
      ? ["network", "no answer came; check the address and the network", { cause: withoutKey(failure, apiKey) }]
      : reply.status < 200 || reply.status > 299
        ? ["http", `the server answered HTTP ${reply.status}`, { status: reply.status }]
        : ["protocol", "the server's answer is no JSON-RPC reply to this call", { status: reply.status }];
    for (const { descriptor, settled, fail } of calls) {
      if (!settled) fail(new QuernError(kind, `${descriptor.name}: ${text}`, { ...details, method: descriptor.name }));
    }
  }
}

/** Servers that do not know batches answer the array as one bad request. */
function isBatchRefusal(status: number, value: unknown): boolean {
  if (status < 300) return typeof value === "object";
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 408 && status !== 429;
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function rpcError(
  { descriptor }: Call,
  error: { code: number; message: string; data?: unknown },
  status: number,
): QuernError {
  const errorName = descriptor.errors[error.code];
  const { code, data } = error;
  const message = `${descriptor.name}: ${error.message} (${errorName ?? "error"} ${code})`;
  const details = { code, data, errorName, method: descriptor.name, ...(status !== 200 && { status }) };
  return new QuernError(errorName ? "rpc" : "undeclared", message, details);
}
