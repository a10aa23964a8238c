import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import type { MockClock } from "../time/clock.ts";
import type { KeptHistory } from "./history.ts";

export interface RecordedPlace {
  readonly clock: MockClock;
  readonly history: KeptHistory;
}

/** Answers as the handler does, and keeps what came and what went. */
export function recordingHandler(
  handler: Handler,
  placeOf: (headers: RequestHeaders) => RecordedPlace | undefined,
): Handler {
  async function handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply> {
    const place = placeOf(headers);
    if (place === undefined) return handler.handle(body, headers, signal);
    const answered = place.history.record(place.clock.now(), body);
    const reply = await handler.handle(body, headers, signal);
    answered(reply);
    return reply;
  }

  return { ...handler, handle };
}
