import type { Fetch } from "@quern/json-rpc/fetch";
import type { Reply } from "@quern/json-rpc/handler";
import type { Exchange, Middleware } from "../wire/exchange.ts";
import { replyBody } from "../wire/reply.ts";
import type { RecordedAnswers, RecordedService } from "./recorder.ts";

/** Part of a namespace's state for recording: the service, and its answers. */
export interface RecordingState {
  readonly recorder: (RecordedAnswers & RecordedService & { readonly fetch: Fetch }) | undefined;
}

/** Forwards requests to the recorded service, in namespaces that have one. */
export const recordingMiddleware: Middleware<RecordingState> = (exchange, next) => {
  const recorder = exchange.namespace?.recorder;
  return recorder === undefined ? next() : recorded(exchange, recorder);
};

async function recorded(
  exchange: Exchange<unknown>,
  recorder: NonNullable<RecordingState["recorder"]>,
): Promise<Reply> {
  const reply = await forwarded(exchange, recorder);
  recorder.record(exchange.calls, replyBody(reply));
  return reply;
}

async function forwarded(
  { body, signal }: Exchange<unknown>,
  { url, apiKey, fetch }: NonNullable<RecordingState["recorder"]>,
): Promise<Reply> {
  const response = await fetch(`${url.replace(/\/$/, "")}/json-rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: typeof body === "string" ? body : new Uint8Array(body),
    ...(signal && { signal }),
  });
  const type = response.headers.get("content-type");
  const text = await response.text();
  const { status } = response;
  return { status, headers: type === null ? {} : { "content-type": type }, body: status === 204 ? null : [text] };
}
