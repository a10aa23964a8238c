import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { SlowAnswer } from "./check.ts";
import type { Request } from "./corpus.ts";
import { fillText, type Variables } from "./placeholders.ts";
import { bodyBytes, type SentMember, sentMembers } from "./request-body.ts";

/** HTTP answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Request and its answer. A request that was cut off has no answer. */
export interface Exchange {
  readonly sent: readonly SentMember[];
  /** Time of sending in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  readonly answer: Answer | undefined;
  /** Contradictions of the runs in the answer, among their members or with earlier answers. */
  readonly contradictions: readonly string[];
}

/** Sends requests of the corpus to one endpoint. */
export interface Sender {
  /** @throws SlowAnswer if no complete answer arrives in time; rethrows errors of the connection */
  send(request: Request, variables: Variables): Promise<Exchange>;
}

function headersOf(request: Request, variables: Variables): Record<string, string> {
  const merged: Record<string, string | null> = {
    "content-type": "application/json",
    "x-api-key": String(variables.apiKey),
  };
  for (const [name, value] of Object.entries(request.headers ?? {})) merged[name.toLowerCase()] = value;
  const sent = Object.entries(merged).flatMap(([name, value]) =>
    value === null ? [] : [[name, fillText(value, variables)] as const],
  );
  return Object.fromEntries(sent);
}

async function read(message: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  if (!message.complete) throw new Error("the response ended before its body was complete");
  return { status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(chunks) };
}

/** Creates a sender. Steps with `connection: "kept"` share one connection; each other step opens its own. */
export function createSender(endpoint: string, timeoutMs: number): Sender & Disposable {
  const secure = endpoint.startsWith("https:");
  const open = secure ? httpsRequest : httpRequest;
  const keepAliveAgent = new (secure ? HttpsAgent : Agent)({ keepAlive: true, maxSockets: 1 });

  async function send(request: Request, variables: Variables): Promise<Exchange> {
    const sent = bodyBytes(request, variables);
    const sentAt = performance.now();
    const { chunkBytes, cutAfterBytes } = request;
    const framing: Record<string, string | number> =
      chunkBytes === undefined ? { "content-length": sent.length } : { "transfer-encoding": "chunked" };
    const deadline = AbortSignal.timeout(timeoutMs);
    // The path is sent unchanged: the URL class would normalize it.
    const outgoing = open(endpoint, {
      ...(request.path === undefined ? {} : { path: request.path }),
      method: request.verb ?? "POST",
      headers: { ...headersOf(request, variables), ...framing },
      agent: request.connection === "kept" ? keepAliveAgent : false,
      signal: deadline,
    });
    const answered = new Promise<Answer>((resolve, reject) => {
      outgoing.on("response", (message) => read(message).then(resolve, reject));
      outgoing.on("error", reject);
    });
    if (cutAfterBytes !== undefined) {
      answered.catch(() => undefined);
      outgoing.write(sent.subarray(0, cutAfterBytes));
      await sleep(20);
      outgoing.destroy();
      return { sent: sentMembers(sent), sentAt, answer: undefined, contradictions: [] };
    }
    if (chunkBytes === undefined) outgoing.end(sent);
    else {
      for (let at = 0; at < sent.length; at += chunkBytes) outgoing.write(sent.subarray(at, at + chunkBytes));
      outgoing.end();
    }
    const answer = await answered.catch((error: unknown) => {
      throw deadline.aborted ? new SlowAnswer([`no complete response within ${timeoutMs} ms`]) : error;
    });
    return { sent: sentMembers(sent), sentAt, answer, contradictions: [] };
  }

  return { send, [Symbol.dispose]: () => keepAliveAgent.destroy() };
}
