import type { Fetch } from "@quern/json-rpc/fetch";
import type { Call } from "../wire/call.ts";
import { parsedCalls } from "../wire/exchange.ts";
import { type FaultError, isReplyTo, parsedReply, type ReplyBody } from "../wire/reply.ts";
import type { RecordedAnswer, Recording } from "./recording.ts";
import { redactedAnswer, redactedMessage, redactedParams } from "./redaction.ts";

/** Service that is recorded, and the key that it takes. */
export interface RecordedService {
  readonly url: string;
  readonly apiKey: string;
}

export interface Recorder {
  /** To be given to a client in place of its `fetch`: it calls the service, and keeps what both say. */
  readonly fetch: Fetch;
  /** Returns the answers until now. Keys, literals of statements, parameters and signed links are not in it; rows are. */
  recording(): Recording;
}

/** Answers of a service, kept for a recording. */
export interface RecordedAnswers extends Pick<Recorder, "recording"> {
  /** Keeps the calls that are answered. */
  keep(calls: readonly (Call | undefined)[], replies: ReplyBody): void;
}

export function createAnswers(): RecordedAnswers {
  const answers: RecordedAnswer[] = [];
  return {
    keep(calls, { objects }) {
      for (const call of calls) {
        const reply = objects.find((one) => isReplyTo(call, one));
        if (call === undefined || reply === undefined) continue;
        const { result, error } = reply;
        const answer = error === undefined ? { result: redactedAnswer(result) } : { error: redactedError(error) };
        answers.push({ method: call.method, params: redactedParams(call.params), ...answer });
      }
    },
    recording: () => ({ calls: [...answers] }),
  };
}

/** Records what a service answers, so that a mock can replay it. */
export function createRecorder(fetch: Fetch = globalThis.fetch): Recorder {
  const { keep, recording } = createAnswers();

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const sent = request.clone();
      const response = await fetch(request);
      // What cannot be read, on its way there or back, is passed on and not kept.
      await Promise.all([sent.text(), response.clone().text()])
        .then(([body, answer]) => keep(parsedCalls(body), parsedReply(answer)))
        .catch(() => undefined);
      return response;
    },
    recording,
  };
}

function redactedError(error: unknown): FaultError {
  const redacted = redactedAnswer(error) as FaultError; // as the service has it; reading a recording checks no errors
  return typeof redacted?.message === "string" ? { ...redacted, message: redactedMessage(redacted.message) } : redacted;
}
