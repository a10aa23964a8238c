import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import type { Recorder } from "./recorder.ts";

/** Service that is recorded, and the key that it takes. */
export interface RecordedService {
  readonly url: string;
  readonly apiKey: string;
}

/** Forwards the requests of namespaces that record a service, and answers the others as the handler does. */
export function forwardingHandler(
  handler: Handler,
  recorderOf: (headers: RequestHeaders) => (Recorder & RecordedService) | undefined,
): Handler {
  async function handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply> {
    const recorder = recorderOf(headers);
    if (recorder === undefined) return handler.handle(body, headers, signal);
    const { url, apiKey, fetch } = recorder;
    const response = await fetch(`${url.replace(/\/$/, "")}/json-rpc`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey },
      body: typeof body === "string" ? body : new Uint8Array(body),
      ...(signal && { signal }),
    });
    const type = response.headers.get("content-type");
    const text = await response.text();
    const isEmpty = response.status === 204;
    return {
      status: response.status,
      headers: type === null ? {} : { "content-type": type },
      body: isEmpty ? null : [text],
    };
  }

  return { ...handler, handle };
}
