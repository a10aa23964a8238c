import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./case.ts";
import { send } from "./connection-fault.ts";
import { exampleBody, exampleReply, type WireCall } from "./example-answers.ts";

/** One HTTP request as it arrived. */
export interface Exchange {
  readonly path: string;
  readonly methods: readonly string[];
  /** Time of arrival in milliseconds of `performance.now()`. */
  readonly at: number;
  /** True after the whole response was sent or the connection has ended. */
  isClosed: boolean;
}

/** A running fault-injection server. */
export interface Adversary extends AsyncDisposable {
  /** Base URL for the client, without `/json-rpc`. */
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** Returns the faults that matched no request so far. */
  unusedFaults(): readonly Fault[];
}

export interface AdversaryOptions {
  readonly faults: readonly Fault[];
  /**
   * Serves only `createQueryRun`, `getQueryRun` and `getQueryRunResults`, without batches and without optional members.
   * @default false
   */
  readonly basic?: boolean;
  /** Called each time a fault begins. */
  readonly onFault?: () => void;
}

/**
 * Starts a server on loopback that plays each fault in the first requests that match it, as often as its `times` says,
 * and answers correctly otherwise.
 */
export async function startAdversary({ faults, basic = false, onFault }: AdversaryOptions): Promise<Adversary> {
  const exchanges: Exchange[] = [];
  const uses = new Map<Fault, number>();

  function faultFor(calls: readonly WireCall[], isBatch: boolean): Fault {
    const fault = faults.find(
      (one) =>
        (one.times === "ever" || (uses.get(one) ?? 0) < (one.times ?? 1)) &&
        calls.some((call) => isMatch(one, call)) &&
        (one.batch === undefined || one.batch === isBatch),
    );
    if (!fault) return {};
    uses.set(fault, (uses.get(fault) ?? 0) + 1);
    onFault?.();
    return fault;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: Exchange = { path: request.url ?? "", methods: [], at: performance.now(), isClosed: false };
    exchanges.push(exchange);
    response.on("close", () => {
      exchange.isClosed = true;
    });
    const { calls, isBatch } = callsOf(await text(request));
    Object.assign(exchange, { methods: calls.map(({ method }) => method) });
    const fault = faultFor(calls, isBatch);
    if (fault.delayMs !== undefined) await sleep(fault.delayMs);
    const correct = exampleBody(calls, isBatch, basic);
    const fill = (template: string) => filled(template, calls, correct, basic);
    if (fault.raw === undefined) await send(response, fault, Buffer.from(fill(fault.body ?? "{all}")));
    else request.socket.end(fill(fault.raw));
  }

  const server = createServer((request, response) => {
    // The client may close the connection before the response is complete.
    answer(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    unusedFaults: () => faults.filter((fault) => !uses.has(fault)),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function isMatch({ on, param }: Fault, { method, params }: WireCall): boolean {
  return (on === undefined || method === on) && (param === undefined || Object.hasOwn(params ?? {}, param));
}

interface Envelope {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly [WireCall["params"]];
}

function callsOf(body: string): { readonly calls: readonly WireCall[]; readonly isBatch: boolean } {
  const sent: unknown = JSON.parse(body);
  // Requests of a client under test are assumed to be valid; an invalid one gets no response.
  const envelopes = (Array.isArray(sent) ? sent : [sent]) as readonly Envelope[];
  return {
    calls: envelopes.map(({ id, method, params }) => ({ id, method, params: params[0] })),
    isBatch: Array.isArray(sent),
  };
}

/** Fills the placeholders of a fault's `body` or `raw`; an unknown one stays as it is. */
function filled(template: string, calls: readonly WireCall[], correct: string, basic: boolean): string {
  return template.replaceAll(/\{(all|length|id|result)?(\d*)\}/g, (whole, word: string | undefined, index: string) => {
    if (word === "all") return correct;
    if (word === "length") return String(Buffer.byteLength(correct));
    const call = calls[Number(index)];
    if (!call || index === "") return whole;
    if (word === "result") return JSON.stringify(exampleReply(call, basic).result);
    return JSON.stringify(word === "id" ? call.id : exampleReply(call, basic));
  });
}
