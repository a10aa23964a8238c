import type { Fetch } from "@quern/json-rpc/fetch";
import type { FaultError } from "../faults/fault.ts";
import { callOf, membersOf } from "../wire/calls.ts";
import { isReplyTo, repliesOf } from "../wire/reply-object.ts";
import type { RecordedAnswer, Recording } from "./recording.ts";
import { redactedAnswer, redactedMessage, redactedParams } from "./redaction.ts";

export interface Recorder {
  /** To be given to a client in place of its `fetch`: it calls the service, and keeps what both say. */
  readonly fetch: Fetch;
  /** Returns the answers until now. Keys, literals of statements, parameters and signed links are not in it; rows are. */
  recording(): Recording;
}

/** Records what a service answers, so that a mock can replay it. */
export function createRecorder(fetch: Fetch = globalThis.fetch): Recorder {
  const calls: RecordedAnswer[] = [];

  async function keep(request: Request, response: Response): Promise<void> {
    const [sent, received] = await Promise.all([request.json(), response.json()]);
    const replies = repliesOf(received);
    for (const call of membersOf(sent).members.map(callOf)) {
      const reply = replies.find((one) => isReplyTo(call, one));
      if (call === undefined || reply === undefined) continue;
      const { result, error } = reply;
      const answer = error === undefined ? { result: redactedAnswer(result) } : { error: redactedError(error) };
      calls.push({ method: call.method, params: redactedParams(call.params), ...answer });
    }
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const kept = request.clone();
      const response = await fetch(request);
      // What is no JSON, on its way there or back, is passed on and not kept.
      await keep(kept, response.clone()).catch(() => undefined);
      return response;
    },
    recording: () => ({ calls: [...calls] }),
  };
}

function redactedError(error: unknown): FaultError {
  const redacted = redactedAnswer(error) as FaultError; // as the service has it; reading a recording checks no errors
  return typeof redacted?.message === "string" ? { ...redacted, message: redactedMessage(redacted.message) } : redacted;
}
